// SPDX-License-Identifier: Apache-2.0
#include "platform/share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/exceptions.hpp>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/share/heap.h"
#include "platform/share/process_identity.h"

// Newer than the C library of Debian 12.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace conclave::share {
namespace {

namespace ipc = boost::interprocess;

constexpr uint64_t kKiB = 1024;
// With these seals nobody can take pages away under those who use them, or change the seals.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "shared segment " + name + ": " + why);
}

// The form in which Boost.Interprocess takes what it maps.
struct Mappable {
  int fd;
  ipc::mapping_handle_t get_mapping_handle() const { return {fd, false}; }
  ipc::mode_t get_mode() const { return ipc::read_write; }
};

Descriptor memory_file(const std::string& name) {
  // Kernels before 6.3 do not know the flag and do not warn.
  int fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return Descriptor(fd);
}

// If the system promises no more memory than there is, the memory must be taken now: a page that is
// refused later ends the process that touches it. Otherwise taking it would cost a millisecond for
// nothing.
bool take_memory(const Descriptor& file, uint64_t bytes) {
  const Descriptor setting(open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
  char mode = 0;
  if (!setting || read(setting.get(), &mode, 1) != 1 || mode != '2') return true;
  errno = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  return errno == 0;
}

// The process table gets a fourth of the segment; of a small one, half of what is left.
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
  header.pid_namespace.store(pid_namespace());
  header.created_ns.store(realtime_ns());
  const Layout layout = Layout::of(base, size);
  Heap::initialize(layout);
  header.magic.store(kMagic);
  return layout;
}

// Why the segment cannot be used; "" if it can. `bytes`: the file's size.
std::string defect(const Layout& layout, uint64_t bytes) {
  const Header& header = layout.header();
  if (header.magic.load() != kMagic) return "it is no segment of Conclave's";
  if (const uint32_t version = header.layout_version.load(); version != kLayoutVersion)
    return "it has layout version " + std::to_string(version) + ", this program needs " +
           std::to_string(kLayoutVersion);
  if (header.size.load() != bytes || !layout.is_intact())
    return "it is damaged: its sizes contradict each other";
  if (header.pid_namespace.load() != pid_namespace())
    return "it belongs to another pid namespace (container), whose processes cannot be told apart "
           "from this one's";
  return "";
}

}  // namespace

Segment::Segment(const std::string& name, Descriptor file) : name_(name), file_(std::move(file)) {
  struct stat status;
  if (fstat(file_.get(), &status) != 0) refuse(name, strerror(errno));
  maker_ = status.st_uid;
  inode_ = status.st_ino;
  try {
    region_ = ipc::mapped_region(Mappable{file_.get()}, ipc::read_write, 0,
                                 static_cast<size_t>(status.st_size));
  } catch (const ipc::interprocess_exception& error) {
    throw Error(CL_OUT_OF_RESOURCES,
                "shared segment " + name + ": it cannot be mapped: " + error.what());
  }
}

std::byte* Segment::memory() const {
  return static_cast<std::byte*>(region_.get_address());
}

std::unique_ptr<Segment> Segment::make(const std::string& name, uint32_t size_kb) {
  Descriptor file = memory_file(name);
  const uint64_t bytes = size_kb * kKiB + kGraphAreaBytes;
  if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 || !take_memory(file, bytes) ||
      fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    throw Error(CL_OUT_OF_RESOURCES, "no memory for the table of compute units and heaps (" +
                                         std::to_string(size_kb) + " KiB): " + strerror(errno));
  std::unique_ptr<Segment> segment(new Segment(name, std::move(file)));
  segment->layout_ = initialize(segment->memory(), size_kb * kKiB);
  segment->layout_.graphs = segment->memory() + size_kb * kKiB;
  return segment;
}

std::unique_ptr<Segment> Segment::adopt(const std::string& name, Descriptor file) {
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) refuse(name, strerror(errno));
  // Checked before the file is touched: a file that shrinks, or is too small, would end this
  // process.
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (!S_ISREG(status.st_mode) || seals < 0 || (seals & kSeals) != kSeals)
    refuse(name, "it is no sealed memory file");
  const auto whole = static_cast<uint64_t>(status.st_size);
  if (whole < kMinSegmentKb * kKiB + kGraphAreaBytes ||
      whole > kMaxSegmentKb * kKiB + kGraphAreaBytes)
    refuse(name, "it has " + std::to_string(whole) + " bytes");
  const uint64_t bytes = whole - kGraphAreaBytes;
  std::unique_ptr<Segment> segment(new Segment(name, std::move(file)));
  segment->layout_ = Layout::of(segment->memory(), bytes);
  segment->layout_.graphs = segment->memory() + bytes;
  if (const std::string why = defect(segment->layout(), bytes); !why.empty()) refuse(name, why);
  return segment;
}

}  // namespace conclave::share
