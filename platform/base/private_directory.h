// SPDX-License-Identifier: Apache-2.0
// Directories that only their user can change. Others, and other programs of the user, may change
// what a path leads to at any moment. So a directory is first opened and then checked, and its
// content is opened relative to its descriptor.
#ifndef CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_
#define CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_

#include <string>

#include "platform/base/descriptor.h"

namespace conclave {

// Opens the directory that a user has named; the path may contain symbolic links. If the directory
// does not belong to the effective user, or if others can write it, returns an empty descriptor,
// and in `why` the path and the reason.
Descriptor open_private_directory(const std::string& path, std::string& why);

// Opens the directory `name` in another one, whose path is only for messages. Makes it if it is
// missing, follows no symbolic link, and takes away the rights of others in it.
Descriptor make_private_directory(const Descriptor& parent, const std::string& parent_path,
                                  const std::string& name, std::string& why);

// Makes `path`, which is absolute, and the directories that lead to it. Others may not even read
// them. What exists is left as it is. The caller that opens the directory afterwards finds out what
// went wrong.
void make_directories(const std::string& path);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_PRIVATE_DIRECTORY_H_
