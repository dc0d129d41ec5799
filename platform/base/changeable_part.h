// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_CHANGEABLE_PART_H_
#define CONCLAVE_PLATFORM_BASE_CHANGEABLE_PART_H_

#include <sys/types.h>

#include <string>

namespace conclave {

// For files that can only be used by their path, such as programs to start. Returns the part of
// `path` that somebody else could change, so that the path would lead elsewhere, and why; "" if
// only root, this user and `friendly` can change it. A group that may write is one that the
// administrator trusts. In a sticky directory such as /tmp nobody can change what others have made.
std::string changeable_part(const std::string& path, uid_t friendly);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CHANGEABLE_PART_H_
