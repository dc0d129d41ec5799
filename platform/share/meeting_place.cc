// SPDX-License-Identifier: Apache-2.0
#include "platform/share/meeting_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/runtime_dir.h"
#include "platform/share/process_identity.h"

namespace conclave::share {
namespace {

// How long another process may hold the directory's lock before it is an error, in steps of a
// millisecond.
constexpr int kPatienceMs = 2000;
// The first pid namespace of a machine has this inode (the kernel's PROC_PID_INIT_INO).
constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;

// Programs of different layouts have segments of their own. So have containers, whose processes
// cannot be told apart from others.
std::string directory_for(const std::string& name) {
  std::string directory = name + "." + std::to_string(kLayoutVersion);
  if (const uint64_t space = pid_namespace(); space != kFirstPidNamespace)
    directory += "." + std::to_string(space);
  return directory;
}

}  // namespace

// The system releases the lock of a dead process. The last process that leaves removes the
// directory.
class MeetingPlace::Lock {
 public:
  explicit Lock(const MeetingPlace& place) {
    for (int ms = 0; !try_to_take(place.path_); ++ms) {
      if (errno != EWOULDBLOCK && errno != EINTR && errno != ENOENT)
        place.fail(std::string("lock: ") + strerror(errno));
      if (ms >= kPatienceMs)
        place.fail("another process keeps it locked; is that one stopped? (lsof " + place.path_ +
                   "/lock shows it)");
      usleep(1000);
    }
  }
  Lock() = default;

  // False, with errno, if that is impossible; ENOENT: the directory has just been removed.
  bool try_to_take(const std::string& path) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
    file_ = Descriptor(open((path + "/lock").c_str(),
                            O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file_ || flock(file_.get(), LOCK_EX | LOCK_NB) != 0) return false;
    struct stat status;
    errno = ENOENT;
    return fstat(file_.get(), &status) == 0 && status.st_nlink > 0;
  }

 private:
  Descriptor file_;
};

MeetingPlace::MeetingPlace(const std::string& name)
    : name_(name), path_(runtime_dir() + "/" + directory_for(name)) {}

void MeetingPlace::fail(const std::string& what) const {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "shared segment " + path_ + ": " + what);
}

std::unique_ptr<Segment> MeetingPlace::find_or_make(uint32_t size_kb) const {
  const Lock lock(*this);
  std::unique_ptr<Segment> segment = look();
  if (!segment) segment = Segment::make(name_, size_kb);
  link(*segment);
  return segment;
}

std::unique_ptr<Segment> MeetingPlace::find() const {
  if (access(path_.c_str(), F_OK) != 0) return nullptr;
  const Lock lock(*this);
  return look();
}

// The host may have closed the descriptor, and it may now be another file's. So this looks at it
// before it opens it, since opening alone may affect a device or a pipe.
Descriptor MeetingPlace::open_link(const std::string& link) const {
  const Descriptor place(open((path_ + "/" + link).c_str(), O_PATH | O_CLOEXEC));
  struct stat status;
  if (!place || fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  return Descriptor(open(("/proc/self/fd/" + std::to_string(place.get())).c_str(),
                         O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

// The segment of the first process that has one. Removes the links of processes that have ended.
std::unique_ptr<Segment> MeetingPlace::look() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path_.c_str()), closedir);
  if (!directory) fail(strerror(errno));
  std::unique_ptr<Segment> found;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string link = entry->d_name;
    const pid_t pid = atoi(entry->d_name);
    if (pid <= 0) continue;
    if (liveness({pid, 0}) == Liveness::kDead) {
      unlinkat(dirfd(directory.get()), entry->d_name, 0);
      continue;
    }
    if (found) continue;
    try {
      if (Descriptor file = open_link(link)) found = Segment::adopt(name_, std::move(file));
    } catch (const Error& error) {
      log::debug(path_ + "/" + link + ": " + error.text());
    }
  }
  return found;
}

void MeetingPlace::link(const Segment& segment) const {
  const std::string pid = std::to_string(getpid()), link = path_ + "/" + pid;
  const std::string target = "/proc/" + pid + "/fd/" + std::to_string(segment.file().get());
  unlink(link.c_str());
  if (symlink(target.c_str(), link.c_str()) != 0) fail(pid + ": " + strerror(errno));
}

bool MeetingPlace::show(const Segment& segment) const {
  const Lock lock(*this);
  const std::unique_ptr<Segment> others = look();
  if (others && others->inode() != segment.inode()) return false;
  link(segment);
  return true;
}

void MeetingPlace::hide() const noexcept {
  try {
    unlink((path_ + "/" + std::to_string(getpid())).c_str());
    // Others who leave while this process holds the lock leave the directory to it. So it looks
    // again after it has released the lock.
    for (bool has_others = false; !has_others && access(path_.c_str(), F_OK) == 0;) {
      if (Lock lock; !lock.try_to_take(path_)) {
        return;
      } else if (!look()) {
        unlink((path_ + "/lock").c_str());
        rmdir(path_.c_str());
        return;
      }
      has_others = look() != nullptr;
    }
  } catch (const std::exception& error) {
    log::debug(error.what());
  }
}

bool MeetingPlace::shows(const Segment& segment) const {
  const Descriptor link = open_link(std::to_string(getpid()));
  struct stat status;
  return link && fstat(link.get(), &status) == 0 && status.st_ino == segment.inode();
}

}  // namespace conclave::share
