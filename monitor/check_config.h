// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_CHECK_CONFIG_H_
#define CONCLAVE_MONITOR_CHECK_CONFIG_H_

#include <string>

#include "platform/base/config.h"

namespace conclave::monitor {

// Shows the configuration that a process started here and now would have, with `file` in the place
// of the configuration file where that is not "": every key, its value and where that comes from,
// and what is wrong. Returns the exit status: 1 where something is.
int check_config(const std::string& file, bool json);

// The keys with their values and sources as a table.
std::string config_table(const Config& config);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_CHECK_CONFIG_H_
