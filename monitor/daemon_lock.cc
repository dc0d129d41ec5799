// SPDX-License-Identifier: Apache-2.0
#include "monitor/daemon_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "platform/base/error.h"

// glibc shows these, older than this project's system, only to programs that ask for GNU
// extensions.
#ifndef F_OFD_SETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

namespace conclave::monitor {
namespace {

Descriptor open_file(const share::Segment& segment) {
  const std::string path = "/dev/shm/" + segment.name();
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) throw Error(CL_DEVICE_NOT_AVAILABLE, path + ": cannot be opened: " + strerror(errno));
  if (segment.removed())
    throw Error(CL_DEVICE_NOT_AVAILABLE, path + ": somebody has just removed it");
  return file;
}

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

std::optional<DaemonLock> DaemonLock::take(const share::Segment& segment) {
  Descriptor file = open_file(segment);
  struct flock lock = whole_file();
  if (fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return DaemonLock(std::move(file));
  if (errno == EAGAIN || errno == EACCES) return std::nullopt;
  throw Error(CL_DEVICE_NOT_AVAILABLE,
              "/dev/shm/" + segment.name() + ": cannot be locked: " + strerror(errno));
}

uint32_t DaemonLock::holder(const share::Segment& segment) {
  const Descriptor file = open_file(segment);
  struct flock lock = whole_file();
  const bool held = fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  return held ? segment.layout().header().daemon_pid.load() : 0;
}

}  // namespace conclave::monitor
