// SPDX-License-Identifier: Apache-2.0
// The text of a configuration file: one JSON object with strings and integers as values.
#ifndef CONCLAVE_PLATFORM_BASE_CONFIG_FILE_H_
#define CONCLAVE_PLATFORM_BASE_CONFIG_FILE_H_

#include <map>
#include <string>
#include <vector>

namespace conclave {

// A value and where it comes from.
struct Setting {
  std::string value;
  std::string source;  // "/etc/x.json line 3, key "cache"" or "environment variable X"
};

// Reads `path` into `settings`, by the file's keys. Accepts a comma before a closing bracket, since
// TI's file has one. Adds what is wrong, with file and line, to `errors`. Returns false, without an
// error, if there is no such file.
bool read_config_file(const std::string& path, std::map<std::string, Setting>& settings,
                      std::vector<std::string>& errors);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CONFIG_FILE_H_
