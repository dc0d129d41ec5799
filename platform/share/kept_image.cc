// SPDX-License-Identifier: Apache-2.0
#include "platform/share/kept_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/base/descriptor.h"
#include "platform/base/log.h"

namespace conclave::share {
namespace {

constexpr size_t kMaxImageBytes = size_t{1} << 30;

std::string path_for(const std::string& segment) {
  return "/dev/shm/" + segment + ".image." + std::to_string(geteuid());
}

// Writes what goes before under another name, so that a reader sees a whole image or none.
bool replace_file(const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  unlink(fresh.c_str());  // of a process that died over it
  const Descriptor file(
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return false;
  if (write_file(file.get(), bytes.data(), bytes.size()) &&
      rename(fresh.c_str(), path.c_str()) == 0)
    return true;
  const int error = errno;
  unlink(fresh.c_str());
  errno = error;
  return false;
}

}  // namespace

void keep_image(const std::string& segment, std::string_view bytes) {
  if (segment.empty()) return;
  const std::string path = path_for(segment);
  if (!replace_file(path, bytes))
    log::warn("device image: " + path + " cannot be written: " + strerror(errno) +
              "; processes that do not load it themselves cannot run its kernels");
}

std::string kept_image(const std::string& segment) {
  if (segment.empty()) return "";
  const Descriptor file(open(path_for(segment).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid() || (status.st_mode & 022) != 0)
    return "";
  std::string bytes;
  return read_file(file.get(), kMaxImageBytes, bytes) ? bytes : "";
}

}  // namespace conclave::share
