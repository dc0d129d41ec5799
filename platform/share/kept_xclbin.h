// SPDX-License-Identifier: Apache-2.0
// The file of the loaded xclbin, for processes that open contexts on it without having loaded
// it themselves: <segment>.xclbin in the directory that only its user can enter
// (platform/base/runtime_dir.h). A user's processes run only the code in that user's file, whatever
// the segment says.
#ifndef CONCLAVE_PLATFORM_SHARE_KEPT_XCLBIN_H_
#define CONCLAVE_PLATFORM_SHARE_KEPT_XCLBIN_H_

#include <string>
#include <string_view>

namespace conclave::share {

// Replaces the file in one step. If it cannot be written, a warning is logged: then only processes
// that load the xclbin themselves can run its kernels. `segment` is its name; "" keeps nothing.
void keep_xclbin(const std::string& segment, std::string_view bytes);

// What was kept. If this user's processes have kept nothing, returns "" and says `why`.
std::string kept_xclbin(const std::string& segment, std::string& why);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_KEPT_XCLBIN_H_
