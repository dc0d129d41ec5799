// SPDX-License-Identifier: Apache-2.0
#include "platform/share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cstring>
#include <new>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/share/heap.h"
#include "platform/share/process_identity.h"

namespace conclave::share {
namespace {

namespace ipc = boost::interprocess;

constexpr uint64_t kKiB = 1024;
// How long somebody may take to make a segment before it is an error, in steps of a millisecond.
constexpr int kPatienceMs = 2000;
// The first pid namespace of a machine has this inode (the kernel's PROC_PID_INIT_INO).
constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "shared segment /dev/shm/" + name + ": " + what);
}

int descriptor(const ipc::shared_memory_object& object) {
  return object.get_mapping_handle().handle;
}

struct stat status_of(const ipc::shared_memory_object& object, const std::string& name) {
  struct stat status;
  if (fstat(descriptor(object), &status) != 0) fail(name, strerror(errno));
  return status;
}

// Holds the segment's file lock while it is made or checked; the system lets go of it for the dead.
class FileLock {
 public:
  FileLock(const ipc::shared_memory_object& object, const std::string& name)
      : descriptor_(descriptor(object)) {
    for (int ms = 0; flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++ms) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail(name, strerror(errno));
      if (ms >= kPatienceMs)
        fail(name, "another process keeps it locked; is that one stopped? (lsof /dev/shm/" + name +
                       " shows it)");
      usleep(1000);
    }
  }
  ~FileLock() { flock(descriptor_, LOCK_UN); }
  FileLock(const FileLock&) = delete;

 private:
  int descriptor_;
};

ipc::mapped_region map(const ipc::shared_memory_object& object) {
  // More than there is: what is beyond the end becomes usable when the segment grows.
  return ipc::mapped_region(object, ipc::read_write, 0, kMaxSegmentKb * kKiB);
}

// A fourth of the segment is for the process table; of a small one half of what is left.
uint32_t process_capacity(uint64_t size) {
  const uint64_t entries = std::min(size / 4, (size - kProcessesOffset) / 2) / sizeof(ProcessEntry);
  return static_cast<uint32_t>(entries < 16              ? 16
                               : entries > kMaxProcesses ? kMaxProcesses
                                                         : entries);
}

// Fills zeroed memory.
Layout initialize(std::byte* base, uint64_t size) {
  auto& header = *new (base) Header();
  header.layout_version.store(kLayoutVersion);
  header.process_capacity.store(process_capacity(size));
  header.size.store(size);
  const auto [high, low] = boot_id();
  header.boot_id[0].store(high);
  header.boot_id[1].store(low);
  header.pid_namespace.store(pid_namespace());
  header.created_ns.store(realtime_ns());
  const Layout layout = Layout::of(base, size);
  Heap::initialize(layout);
  header.magic.store(kMagic);
  return layout;
}

// Why the segment is of no use; "" where it is fine. `bytes`: the file's size.
std::string defect(const Layout& layout, uint64_t bytes) {
  if (bytes < kMinSegmentKb * kKiB) return "it is not complete";
  const Header& header = layout.header();
  if (header.magic.load() != kMagic) return "it is not complete, or no segment of Conclave's";
  if (const uint32_t version = header.layout_version.load(); version != kLayoutVersion)
    return "it has layout version " + std::to_string(version) + ", this program needs " +
           std::to_string(kLayoutVersion);
  const auto [high, low] = boot_id();
  if (header.boot_id[0].load() != high || header.boot_id[1].load() != low)
    return "it was made before the machine was started last";
  if (header.size.load() > bytes || !layout.is_intact())
    return "it is damaged: its sizes contradict each other";
  return "";
}

// Others must not be able to lay a trap: a segment counts only where it is ours or the system's.
void check_owner(const struct stat& status, const std::string& name) {
  if (status.st_uid != 0 && status.st_uid != geteuid())
    fail(name, "it belongs to user " + std::to_string(status.st_uid) +
                   "; let an administrator remove it");
}

void check_namespace(const Layout& layout, const std::string& name) {
  if (layout.header().pid_namespace.load() != pid_namespace())
    fail(name,
         "it belongs to another pid namespace (container), whose processes cannot be told "
         "apart from this one's");
}

}  // namespace

std::string user_segment() {
  std::string name = std::string(kSystemSegment) + "." + std::to_string(geteuid());
  if (const uint64_t space = pid_namespace(); space != kFirstPidNamespace)
    name += "." + std::to_string(space);
  return name;
}

Segment::Segment(std::string name, ipc::mapped_region region, uint64_t inode)
    : name_(std::move(name)), region_(std::move(region)), inode_(inode) {
  layout_.base = static_cast<std::byte*>(region_.get_address());
}

void Segment::read_sizes(uint64_t bytes) {
  if (bytes >= kMinSegmentKb * kKiB) layout_ = Layout::of(layout_.base, bytes);
}

std::unique_ptr<Segment> Segment::open_or_create(const std::string& name, const Options& options,
                                                 bool* made) {
  // Somebody may remove or replace it between two of our steps.
  for (int attempt = 0; attempt < 100; ++attempt) {
    try {
      ipc::permissions permissions(static_cast<int>(options.mode));
      ipc::shared_memory_object object(ipc::open_or_create, name.c_str(), ipc::read_write,
                                       permissions);
      FileLock lock(object, name);
      struct stat status = status_of(object, name);
      if (status.st_nlink == 0) continue;
      check_owner(status, name);
      if (made) *made = status.st_size == 0;
      if (status.st_size == 0) {
        const uint64_t size = options.size_kb * kKiB;
        if (options.group != static_cast<gid_t>(-1) &&
            fchown(descriptor(object), static_cast<uid_t>(-1), options.group) != 0)
          fail(name, std::string("cannot be given to its group: ") + strerror(errno));
        // All of it now: a page that cannot be had later would kill whoever touches it.
        if (const int error = posix_fallocate(descriptor(object), 0, static_cast<off_t>(size))) {
          remove(name);
          fail(name, "no room for " + std::to_string(options.size_kb) + " KiB: " + strerror(error) +
                         "; make /dev/shm larger");
        }
        std::unique_ptr<Segment> segment(new Segment(name, map(object), status.st_ino));
        segment->layout_ = initialize(segment->layout_.base, size);
        return segment;
      }
      std::unique_ptr<Segment> segment(new Segment(name, map(object), status.st_ino));
      segment->read_sizes(static_cast<uint64_t>(status.st_size));
      const std::string why = defect(segment->layout(), static_cast<uint64_t>(status.st_size));
      if (why.empty()) {
        check_namespace(segment->layout(), name);
        return segment;
      }
      log::warn("shared segment /dev/shm/" + name + ": " + why + "; it is replaced");
      remove(name);
    } catch (const ipc::interprocess_exception& error) {
      if (error.get_error_code() == ipc::not_found_error) continue;  // removed in between
      fail(name, std::string("cannot be opened: ") + error.what());
    }
  }
  fail(name, "others remove it again and again");
}

std::unique_ptr<Segment> Segment::open(const std::string& name) {
  try {
    ipc::shared_memory_object object(ipc::open_only, name.c_str(), ipc::read_write);
    FileLock lock(object, name);
    const struct stat status = status_of(object, name);
    if (status.st_nlink == 0) return nullptr;
    check_owner(status, name);
    // Touching what is not there would end this process.
    if (static_cast<uint64_t>(status.st_size) < kMinSegmentKb * kKiB)
      fail(name, "it is not complete; restart ti-mctd, or remove it");
    std::unique_ptr<Segment> segment(new Segment(name, map(object), status.st_ino));
    segment->read_sizes(static_cast<uint64_t>(status.st_size));
    const std::string why = defect(segment->layout(), static_cast<uint64_t>(status.st_size));
    if (!why.empty()) fail(name, why + "; restart ti-mctd, or remove it");
    check_namespace(segment->layout(), name);
    return segment;
  } catch (const ipc::interprocess_exception& error) {
    if (error.get_error_code() == ipc::not_found_error) return nullptr;
    fail(name, std::string("cannot be opened: ") + error.what());
  }
}

std::unique_ptr<Segment> Segment::make_private(uint32_t size_kb) {
  const uint64_t size = size_kb * kKiB;
  try {
    std::unique_ptr<Segment> segment(new Segment("", ipc::anonymous_shared_memory(size), 0));
    segment->layout_ = initialize(segment->layout_.base, size);
    return segment;
  } catch (const ipc::interprocess_exception& error) {
    throw Error(CL_OUT_OF_RESOURCES,
                "no memory for the table of compute units and heaps: " + std::string(error.what()));
  }
}

void Segment::grow(uint32_t size_kb) {
  const uint64_t size = size_kb * kKiB;
  if (size <= layout_.header().size.load()) return;
  if (removed()) fail(name_, "somebody removed it, it cannot grow");
  ipc::shared_memory_object object(ipc::open_only, name_.c_str(), ipc::read_write);
  FileLock lock(object, name_);
  if (const int error = posix_fallocate(descriptor(object), 0, static_cast<off_t>(size)))
    fail(name_, "cannot grow to " + std::to_string(size_kb) + " KiB: " + strerror(error));
  if (size > layout_.header().size.load()) layout_.header().size.store(size);
}

bool Segment::removed() const {
  if (name_.empty()) return false;
  try {
    ipc::shared_memory_object object(ipc::open_only, name_.c_str(), ipc::read_only);
    return status_of(object, name_).st_ino != inode_;
  } catch (const ipc::interprocess_exception&) {
    return true;
  }
}

void Segment::remove(const std::string& name) {
  ipc::shared_memory_object::remove(name.c_str());
}

}  // namespace conclave::share
