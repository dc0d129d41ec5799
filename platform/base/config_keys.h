// SPDX-License-Identifier: Apache-2.0
// The keys of the configuration: their names, the variables that override them, what they allow.
#ifndef CONCLAVE_PLATFORM_BASE_CONFIG_KEYS_H_
#define CONCLAVE_PLATFORM_BASE_CONFIG_KEYS_H_

#include <span>
#include <string>

#include "platform/base/config.h"

namespace conclave {

// What is wrong with a value, and what is allowed; "" if nothing is wrong.
struct Complaint {
  std::string text;
  bool tolerable = false;  // the default is used, as on TI's platform
};

struct ConfigKey {
  const char* name;
  const char* variable;  // null: none
  // Stores a value in the configuration, or leaves that as it is and complains.
  Complaint (*parse)(Config&, const std::string&);
  // The present value; null for a key that is only checked.
  std::string (*print)(const Config&);
};

// In the order in which they must be parsed.
std::span<const ConfigKey> config_keys();

// Puts all compute units on the list.
void list_all_units(Config& config);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CONFIG_KEYS_H_
