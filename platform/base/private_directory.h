// SPDX-License-Identifier: Apache-2.0
// Directories that their user alone can change. Others, and other programs of the user, may change
// what a path leads to at any moment, so a directory is opened first and looked at then, and what
// is in it is opened relative to its descriptor.
#ifndef CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_
#define CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_

#include <string>

#include "platform/base/descriptor.h"

namespace conclave {

// Opens the directory that a user has named; the path may lead over symbolic links. Returns an
// empty descriptor, and in `why` the path and the reason, where it does not belong to the
// effective user or others can write it.
Descriptor open_private_directory(const std::string& path, std::string& why);

// Opens the directory `name` in another, whose path serves for messages alone. Makes it where it is
// missing, follows no symbolic link, and takes from others what they may still do in it.
Descriptor make_private_directory(const Descriptor& parent, const std::string& parent_path,
                                  const std::string& name, std::string& why);

// Makes the directories that lead to `path`, an absolute one, and it, which others may not even
// read. What exists is left as it is, and whoever opens the directory learns what went wrong.
void make_directories(const std::string& path);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_
