// SPDX-License-Identifier: Apache-2.0
#include "platform/base/private_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conclave {
namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Why others could change the content of the directory, to be read behind its path; "" if they
// cannot.
std::string refuse(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return std::string(": ") + strerror(errno);
  if (status.st_uid != geteuid())
    return " belongs to another user (" + std::to_string(status.st_uid) + ")";
  if ((status.st_mode & 022) != 0) return " can be written by other users";
  return "";
}

mode_t permissions(const Descriptor& file) {
  struct stat status;
  return fstat(file.get(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// Takes over what open() has returned. ENOTDIR may also mean a symbolic link that is not followed.
Descriptor checked(int fd, const std::string& path, std::string& why) {
  const int error = errno;
  Descriptor directory(fd);
  const std::string refusal =
      directory ? refuse(directory.get()) : std::string(": ") + strerror(error);
  if (refusal.empty()) return directory;
  why = path + refusal;
  return {};
}

}  // namespace

Descriptor open_private_directory(const std::string& path, std::string& why) {
  return checked(open(path.c_str(), kOpenDirectory), path, why);
}

Descriptor make_private_directory(const Descriptor& parent, const std::string& parent_path,
                                  const std::string& name, std::string& why) {
  const std::string path = parent_path + "/" + name;
  const auto open_it = [&] {
    return openat(parent.get(), name.c_str(), kOpenDirectory | O_NOFOLLOW);
  };
  // Nearly always it is there and private. To ask a file system for a change costs more, also where
  // it has nothing to do.
  int fd = open_it();
  if (fd < 0 && errno == ENOENT) {
    if (mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
      return checked(-1, path, why);
    fd = open_it();
  }
  Descriptor directory = checked(fd, path, why);
  if (directory && permissions(directory) != 0700 && fchmod(directory.get(), 0700) != 0)
    return checked(-1, path, why);
  return directory;
}

void make_directories(const std::string& path) {
  for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), 0777);
  mkdir(path.c_str(), 0700);
}

}  // namespace conclave
