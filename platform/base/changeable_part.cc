// SPDX-License-Identifier: Apache-2.0
#include "platform/base/changeable_part.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conclave {

// Starts at the root: what lies below a part that nobody else can change is then certain.
std::string changeable_part(const std::string& path, uid_t friendly) {
  char resolved[PATH_MAX];
  if (!realpath(path.c_str(), resolved)) return path + ": " + strerror(errno);
  const std::string whole = resolved;
  for (size_t end = 0; end != whole.npos;) {
    end = whole.find('/', end + 1);
    const std::string part = whole.substr(0, end);
    struct stat status;
    if (lstat(part.c_str(), &status) != 0) return part + ": " + strerror(errno);
    if (status.st_uid != 0 && status.st_uid != geteuid() && status.st_uid != friendly)
      return part + " belongs to user " + std::to_string(status.st_uid);
    if ((status.st_mode & S_IWOTH) && !(S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX)))
      return part + " can be written by everybody";
  }
  return "";
}

}  // namespace conclave
