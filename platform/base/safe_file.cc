// SPDX-License-Identifier: Apache-2.0
#include "platform/base/safe_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conclave {
namespace {

constexpr int kNeverWait = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool is_trusted(uid_t owner) {
  return owner == 0 || owner == geteuid();
}

std::string is_not_this_users(const struct stat& status) {
  return "belongs to another user (" + std::to_string(status.st_uid) + ")";
}

// The kind of something that is no regular file; "" for a regular file.
std::string kind_of(const struct stat& status) {
  if (S_ISFIFO(status.st_mode)) return "is a FIFO";
  if (S_ISDIR(status.st_mode)) return strerror(EISDIR);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "is a device";
  return S_ISREG(status.st_mode) ? "" : "is no regular file";
}

std::string refuse_named(const struct stat& status) {
  return S_ISCHR(status.st_mode) ? "" : kind_of(status);
}

std::string refuse_own(const struct stat& status, int flags) {
  if (std::string kind = kind_of(status); !kind.empty()) return kind;
  if (!is_trusted(status.st_uid)) return is_not_this_users(status);
  if ((status.st_mode & 022) != 0) return "can be written by other users";
  if ((flags & O_ACCMODE) != O_RDONLY && status.st_nlink > 1) return "has another name, too";
  return "";
}

// Takes over what open() has returned. `refuse` says why a file of this status is refused.
template <class Refuse>
Descriptor checked(int fd, std::string& why, const Refuse& refuse) {
  int error = errno;
  Descriptor file(fd);
  struct stat status;
  if (file && fstat(file.get(), &status) != 0) {
    error = errno;
    file.close();
  }
  // O_NOFOLLOW has met a symbolic link.
  why = file ? refuse(status) : error == ELOOP ? "is a symbolic link" : strerror(error);
  if (file && why.empty()) return file;
  errno = file ? EPERM : error;
  return {};
}

}  // namespace

Descriptor open_named_file(const std::string& path, std::string& why) {
  return checked(open(path.c_str(), O_RDONLY | kNeverWait), why, refuse_named);
}

Descriptor open_found_file(const std::string& path, std::string& why) {
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  struct stat place;
  const bool is_public =
      stat(directory.empty() ? "." : directory.c_str(), &place) != 0 || (place.st_mode & S_IWOTH);
  if (!is_public) return open_named_file(path, why);
  return checked(open(path.c_str(), O_RDONLY | O_NOFOLLOW | kNeverWait), why,
                 [](const struct stat& status) {
                   return is_trusted(status.st_uid) ? kind_of(status) : is_not_this_users(status);
                 });
}

Descriptor open_own_file(int directory, const std::string& name, int flags, std::string& why,
                         mode_t mode) {
  return checked(openat(directory, name.c_str(), flags | O_NOFOLLOW | kNeverWait, mode), why,
                 [&](const struct stat& status) { return refuse_own(status, flags); });
}

}  // namespace conclave
