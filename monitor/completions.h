// SPDX-License-Identifier: Apache-2.0
// What shells need to complete a command line, made of the command line's own description.
#ifndef CONCLAVE_MONITOR_COMPLETIONS_H_
#define CONCLAVE_MONITOR_COMPLETIONS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace conclave::monitor {

// The values that options allow, where these are words.
using Choices = std::map<const CLI::Option*, std::vector<std::string>>;

// The completion script for `app`, a program with commands. `shell`: "zsh" or "fish".
std::string completions(const CLI::App& app, const Choices& choices, const std::string& shell);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_COMPLETIONS_H_
