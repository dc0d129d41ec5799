// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_CHECK_CONFIG_H_
#define CONCLAVE_MONITOR_CHECK_CONFIG_H_

#include <string>

#include "platform/base/config.h"

namespace conclave::monitor {

// Shows the configuration that a process started here and now would have: every key, its value and
// its source, and what is wrong. `file` replaces the configuration file unless it is "". Returns
// the exit status: 1 if something is wrong.
int check_config(const std::string& file, bool json);

// The keys with their values and sources as a table.
std::string config_table(const Config& config);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_CHECK_CONFIG_H_
