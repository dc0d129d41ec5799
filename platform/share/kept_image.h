// SPDX-License-Identifier: Apache-2.0
// The file of the device image that is loaded, for processes that open contexts on it without
// having loaded it themselves: /dev/shm/<segment>.image.<user>. A user's processes run code of that
// user's file alone, whatever the segment says.
#ifndef CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_
#define CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_

#include <string>
#include <string_view>

namespace conclave::share {

// Replaces the file at once. Where it cannot be written, a warning: only processes that load the
// image themselves can run its kernels then. `segment`: its name; "" keeps nothing.
void keep_image(const std::string& segment, std::string_view bytes);

// What was kept; "" where there is nothing of this user's.
std::string kept_image(const std::string& segment);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_KEPT_IMAGE_H_
