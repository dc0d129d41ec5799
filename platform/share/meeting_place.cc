// SPDX-License-Identifier: Apache-2.0
#include "platform/share/meeting_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/runtime_dir.h"
#include "platform/share/process_identity.h"

namespace conclave::share {
namespace {

// A try fails because another process has come or left.
constexpr int kMostTries = 10'000;
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

// The process whose link has this name; without a number if it is no link's name.
ProcessIdentity owner_of(const std::string& name) {
  ProcessIdentity owner;
  uint64_t made = 0;
  int length = 0;
  if (sscanf(name.c_str(), "%d.%" SCNu64 ".%" SCNu64 "%n", &owner.pid, &owner.start_time, &made,
             &length) != 3 ||
      static_cast<size_t>(length) != name.size() || owner.pid <= 0)
    return {};
  return owner;
}

// Begins the names of directories in which only their makers have a link as yet.
std::string unfinished(const std::filesystem::path& place) {
  return "~" + place.filename().string() + ".";
}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

}  // namespace

// What a look at the directory finds.
struct MeetingPlace::Sight {
  std::unique_ptr<DIR, int (*)(DIR*)> directory{nullptr, closedir};  // null: there is none
  std::unique_ptr<Segment> segment;  // that of the first process that has one; null if none has
  std::vector<std::string> useless;  // what else is there: it keeps the directory from being empty
};

MeetingPlace::MeetingPlace(const std::string& name)
    : name_(name),
      path_(runtime_dir() + "/" + directory_for(name)),
      maker_(ProcessIdentity::self()),
      made_ns_(now_ns()) {}

// Nobody else ever has a link of this name, not even a program that this process executes later. So a
// process that finds the link useless may remove it at any later moment.
std::string MeetingPlace::own_link() const {
  const ProcessIdentity self = maker_.pid == getpid() ? maker_ : ProcessIdentity::self();
  if (self.start_time == 0) fail("the start time of this process is not known");
  return std::to_string(self.pid) + "." + std::to_string(self.start_time) + "." +
         std::to_string(made_ns_);
}

void MeetingPlace::fail(const std::string& what) const {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "shared segment " + path_ + ": " + what);
}

std::unique_ptr<Segment> MeetingPlace::find_or_make(uint32_t size_kb) const {
  std::unique_ptr<Segment> fresh;
  for (int tries = 0; tries < kMostTries; ++tries) {
    Sight sight = look();
    if (!sight.segment && !fresh) fresh = Segment::make(name_, size_kb);
    std::unique_ptr<Segment>& segment = sight.segment ? sight.segment : fresh;
    if (enter(sight, *segment)) return std::move(segment);
  }
  fail("other processes come and leave all the time");
}

std::unique_ptr<Segment> MeetingPlace::find() const {
  return look().segment;
}

// The host may have closed the descriptor, and it may now be another file's. So this looks at it
// before it opens it, since opening alone may affect a device or a pipe.
Descriptor MeetingPlace::open_link(const std::string& link) const {
  const Descriptor place(open((path_ + "/" + link).c_str(), O_PATH | O_CLOEXEC));
  if (!place && is_shortage(errno)) fail(strerror(errno));
  struct stat status;
  if (!place || fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  Descriptor file(open(("/proc/self/fd/" + std::to_string(place.get())).c_str(),
                       O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && is_shortage(errno)) fail(strerror(errno));
  return file;
}

// Removes the links of processes that have ended.
MeetingPlace::Sight MeetingPlace::look() const {
  Sight sight;
  sight.directory.reset(opendir(path_.c_str()));
  if (!sight.directory && errno != ENOENT) fail(strerror(errno));
  while (const dirent* entry = sight.directory ? readdir(sight.directory.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const ProcessIdentity owner = owner_of(name);
    if (owner.pid > 0 && liveness(owner) == Liveness::kDead) {
      unlinkat(dirfd(sight.directory.get()), name.c_str(), 0);
      continue;
    }
    if (sight.segment) continue;
    Descriptor file = owner.pid > 0 ? open_link(name) : Descriptor();
    try {
      if (file) sight.segment = Segment::adopt(name_, std::move(file));
    } catch (const Error& error) {
      if (error.code() == CL_OUT_OF_RESOURCES) throw;
      log::debug(path_ + "/" + name + ": " + error.text());
    }
    if (!sight.segment) sight.useless.push_back(name);
  }
  return sight;
}

// Makes this process's link in the directory that `directory` and `path` name, as in symlinkat().
// False if the directory is no more.
bool MeetingPlace::link(int directory, const std::string& path, const Segment& segment) const {
  const std::string link = path + own_link();
  const std::string target =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(segment.file().get());
  unlinkat(directory, link.c_str(), 0);
  if (symlinkat(target.c_str(), directory, link.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  fail(link + ": " + strerror(errno));
}

// Removes what processes that died in establish() have left.
void MeetingPlace::remove_unfinished() const {
  const std::filesystem::path place(path_);
  const std::string prefix = unfinished(place);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(place.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const ProcessIdentity owner = owner_of(name.substr(prefix.size()));
    if (owner.pid > 0 && liveness(owner) == Liveness::kDead)
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

// Makes the directory, with this process's link in it, in place of none or of an empty one. False
// if others were faster.
bool MeetingPlace::establish(const Sight& sight, const Segment& segment) const {
  for (const std::string& name : sight.useless)
    if (unlinkat(dirfd(sight.directory.get()), name.c_str(), 0) != 0 && errno != ENOENT)
      fail(name + " is in the way: " + strerror(errno));
  remove_unfinished();
  const std::filesystem::path place(path_);
  const std::string fresh = place.parent_path() / (unfinished(place) + own_link());
  if (mkdir(fresh.c_str(), 0700) != 0 && errno != EEXIST) fail(strerror(errno));
  if (!link(AT_FDCWD, fresh + "/", segment)) return false;
  if (rename(fresh.c_str(), path_.c_str()) == 0) return true;
  const int error = errno;
  std::error_code ignored;
  std::filesystem::remove_all(fresh, ignored);
  if (error != ENOTEMPTY && error != EEXIST) fail(strerror(error));
  return false;
}

// Makes this process's link beside those of the others, or where there are none. False if that has
// changed since the look.
bool MeetingPlace::enter(const Sight& sight, const Segment& segment) const {
  return sight.segment ? link(dirfd(sight.directory.get()), "", segment)
                       : establish(sight, segment);
}

bool MeetingPlace::show(const Segment& segment) const {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const Sight sight = look();
    if (sight.segment && sight.segment->inode() != segment.inode()) return false;
    if (enter(sight, segment)) return true;
  }
  fail("other processes come and leave all the time");
}

// The last of several that leave at once finds nobody.
void MeetingPlace::hide() const noexcept {
  try {
    unlink((path_ + "/" + own_link()).c_str());
    if (!look().segment) rmdir(path_.c_str());
  } catch (const std::exception& error) {
    log::debug(error.what());
  }
}

bool MeetingPlace::shows(const Segment& segment) const {
  const Descriptor link = open_link(own_link());
  struct stat status;
  return link && fstat(link.get(), &status) == 0 && status.st_ino == segment.inode();
}

}  // namespace conclave::share
