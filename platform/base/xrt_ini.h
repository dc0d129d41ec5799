// SPDX-License-Identifier: Apache-2.0
// XRT's configuration file xrt.ini. Only its section [Runtime] matters here.
#ifndef CONCLAVE_PLATFORM_BASE_XRT_INI_H_
#define CONCLAVE_PLATFORM_BASE_XRT_INI_H_

#include <map>
#include <string>

#include "platform/base/config_file.h"

namespace conclave {

// Stores key "multiprocess" of section [Runtime] of a file's text in `settings`. Everything else in
// the file is for XRT and ignored. `path` is for messages.
void parse_xrt_ini(const std::string& path, const std::string& text,
                   std::map<std::string, Setting>& settings);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_XRT_INI_H_
