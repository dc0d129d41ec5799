// SPDX-License-Identifier: Apache-2.0
// XRT's configuration file xrt.ini, of which the section [Runtime] matters here.
#ifndef CONCLAVE_PLATFORM_BASE_XRT_INI_H_
#define CONCLAVE_PLATFORM_BASE_XRT_INI_H_

#include <map>
#include <string>
#include <vector>

#include "platform/base/config_file.h"

namespace conclave {

// Reads key "multiprocess" of section [Runtime] of `path` into `settings`. All else in the file is
// XRT's own business and ignored. Adds to `errors` why a file cannot be read. Returns false,
// without an error, where there is no such file.
bool read_xrt_ini(const std::string& path, std::map<std::string, Setting>& settings,
                  std::vector<std::string>& errors);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_XRT_INI_H_
