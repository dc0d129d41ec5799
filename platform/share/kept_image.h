// SPDX-License-Identifier: Apache-2.0
// The file of the device image that is loaded, for processes that open contexts on it without
// having loaded it themselves: <segment>.image in the directory that its user alone can touch
// (platform/base/runtime_dir.h). A user's processes run the code in that user's file alone,
// whatever the segment says.
#ifndef CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_
#define CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_

#include <string>
#include <string_view>

namespace conclave::share {

// Replaces the file at once. Where it cannot be written, a warning is logged: only processes that
// load the image themselves can run its kernels then. `segment` is its name; "" keeps nothing.
void keep_image(const std::string& segment, std::string_view bytes);

// What was kept; "", and why, where there is nothing that this user's processes have kept.
std::string kept_image(const std::string& segment, std::string& why);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_
