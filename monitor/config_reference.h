// SPDX-License-Identifier: Apache-2.0
// What each key of the configuration means, for `conclave check-config --describe`, which
// docs/configuration.md is made of. config_keys.cc says what the keys allow.
#ifndef CONCLAVE_MONITOR_CONFIG_REFERENCE_H_
#define CONCLAVE_MONITOR_CONFIG_REFERENCE_H_

#include <span>

namespace conclave::monitor {

struct KeyText {
  enum class Part { kDevice, kCompiler, kDaemon, kIgnored };

  Part part;
  const char* name;      // the key, "": a variable without one
  const char* variable;  // of a text without a key; the others' are in config_keys.cc
  const char* standard;  // the value without configuration: the value itself where it is one word
  const char* meaning;   // what lies in docs/ is named by its path from the repository's root
};

// In the order in which people read them.
std::span<const KeyText> key_texts();

const char* title_of(KeyText::Part part);
// The variable that overrides the key, "" if none does.
const char* variable_of(const KeyText& text);

// Shows all of them; returns the exit status.
int describe_config(bool json);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_CONFIG_REFERENCE_H_
