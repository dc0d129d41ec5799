// SPDX-License-Identifier: Apache-2.0
// Opens files where others may have laid a trap: a FIFO, which makes the process that opens it wait
// for ever, a terminal, a link to something else, a file that they can change later. Nothing here
// waits, and a file is checked by its descriptor after it was opened.
#ifndef CONCLAVE_PLATFORM_BASE_SAFE_FILE_H_
#define CONCLAVE_PLATFORM_BASE_SAFE_FILE_H_

#include <fcntl.h>
#include <sys/types.h>

#include <string>

#include "platform/base/descriptor.h"

namespace conclave {

// All return an empty descriptor if the file is missing or refused. `why` then gives the reason,
// without the path, and errno is that of open(), or EPERM for a refused file.

// Opens for reading a file that the user has named: a regular file or a device such as /dev/null.
// Follows symbolic links.
Descriptor open_named_file(const std::string& path, std::string& why);

// Opens for reading a file that the program looks for without having been told. In a directory that
// everybody can write, it counts only if it is this user's or root's.
Descriptor open_found_file(const std::string& path, std::string& why);

// Opens with `flags` a file that only this user's own programs make. It lies in `directory` (a
// descriptor, or AT_FDCWD with a path as `name`), is a regular file and no symbolic link, belongs
// to this user or root, and nobody else can write it. A file that will be written must have no
// other name, since that could be any file of this user. `mode`: for a file that is made.
Descriptor open_own_file(int directory, const std::string& name, int flags, std::string& why,
                         mode_t mode = 0600);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_SAFE_FILE_H_
