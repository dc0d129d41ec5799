// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_bo.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "xrt/coreutil/bo_impl.h"
#include "xrt/coreutil/failure.h"

namespace xrt {
namespace {

constexpr char kFailed[] = "failed to make a buffer object";

// A descriptor, which the destructor closes.
class scoped_descriptor {
 public:
  explicit scoped_descriptor(long descriptor) : descriptor_(static_cast<int>(descriptor)) {}
  ~scoped_descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  scoped_descriptor(const scoped_descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bo_impl& require_buffer(const std::shared_ptr<bo_impl>& buffer) {
  if (!buffer) fail(EINVAL, "an empty buffer object");
  return *buffer;
}

std::shared_ptr<bo_impl> import(const device& device, export_handle handle) {
  auto owner = require_device(device);
  const xclBufferHandle made = xclImportBO(owner->handle(), handle, 0);
  if (made == NULLBO) fail_as_told(errno, "failed to import a buffer object");
  return std::make_shared<bo_impl>(std::move(owner), made);
}

}  // namespace

// --- bo_impl ---

bo_impl::bo_impl(std::shared_ptr<device_impl> device, xclBufferHandle handle, bool owned)
    : device_(std::move(device)), handle_(handle), owned_(owned) {
  if (handle == NULLBO) fail_as_told(errno, kFailed);
  xclBOProperties properties{};
  const int result = xclGetBOProperties(device_->handle(), handle, &properties);
  data_ = static_cast<std::byte*>(xclMapBO(device_->handle(), handle, true));
  if (result < 0 || !data_) {
    if (owned_) xclFreeBO(device_->handle(), handle);
    fail_as_told(result < 0 ? -result : ENOENT, kFailed);
  }
  size_ = properties.size;
  address_ = properties.paddr;
  flags_ = properties.flags;
}

bo_impl::bo_impl(std::shared_ptr<bo_impl> parent, size_t size, size_t offset)
    : device_(parent->device_),
      parent_(parent),
      handle_(parent->handle_),
      owned_(false),
      offset_(parent->offset_ + offset),
      size_(size),
      address_(parent->address_ + offset),
      flags_(parent->flags_),
      data_(parent->data_ + offset) {}

bo_impl::~bo_impl() {
  if (owned_) xclFreeBO(device_->handle(), handle_);
}

void bo_impl::require_inside(size_t size, size_t offset) const {
  if (offset > size_ || size > size_ - offset)
    fail(EINVAL, std::to_string(size) + " bytes from " + std::to_string(offset) +
                     " on do not lie in a buffer object of " + std::to_string(size_));
}

// --- bo ---

bo::bo(const device& device, size_t size, enum flags flags, memory_group group) {
  auto owner = require_device(device);
  const auto bits = static_cast<uint32_t>(flags) | (group & 0xffffff);
  const xclBufferHandle made = xclAllocBO(owner->handle(), size, 0, bits);
  impl_ = std::make_shared<bo_impl>(std::move(owner), made);
}

bo::bo(const device& device, void* userptr, size_t size, enum flags flags, memory_group group) {
  auto owner = require_device(device);
  const auto bits = static_cast<uint32_t>(flags) | (group & 0xffffff);
  const xclBufferHandle made = xclAllocUserPtrBO(owner->handle(), userptr, size, bits);
  impl_ = std::make_shared<bo_impl>(std::move(owner), made);
}

bo::bo(const device& device, export_handle handle) : impl_(import(device, handle)) {}

bo::bo(const device& device, pid_type pid, export_handle handle) {
  const std::string what = "failed to get descriptor " + std::to_string(handle) + " of process " +
                           std::to_string(pid.pid);
  const scoped_descriptor process(syscall(SYS_pidfd_open, pid.pid, 0));
  if (process.get() < 0) fail(errno, what);
  const scoped_descriptor buffer(syscall(SYS_pidfd_getfd, process.get(), handle, 0));
  if (buffer.get() < 0) fail(errno, what);
  impl_ = import(device, buffer.get());
}

bo::bo(const bo& parent, size_t size, size_t offset) {
  if (size == 0) fail(EINVAL, "a part of 0 bytes of a buffer object");
  require_buffer(parent.impl_).require_inside(size, offset);
  impl_ = std::make_shared<bo_impl>(parent.impl_, size, offset);
}

bo::bo(const device& device, xcl_buffer_handle handle)
    : impl_(std::make_shared<bo_impl>(require_device(device), handle.bhdl, false)) {}

size_t bo::size() const {
  return require_buffer(impl_).size();
}

uint64_t bo::address() const {
  return require_buffer(impl_).address();
}

enum bo::flags bo::get_flags() const {
  return static_cast<enum flags>(require_buffer(impl_).flags() & ~uint32_t{0xffffff});
}

void* bo::map() {
  return require_buffer(impl_).data();
}

void bo::sync(xclBOSyncDirection direction, size_t size, size_t offset) {
  const bo_impl& buffer = require_buffer(impl_);
  buffer.require_inside(size, offset);
  check(xclSyncBO(buffer.device(), buffer.handle(), direction, size, buffer.offset() + offset),
        "failed to synchronize a buffer object");
}

void bo::write(const void* from, size_t size, size_t offset) {
  const bo_impl& buffer = require_buffer(impl_);
  buffer.require_inside(size, offset);
  std::memcpy(buffer.data() + offset, from, size);
}

void bo::read(void* to, size_t size, size_t offset) {
  const bo_impl& buffer = require_buffer(impl_);
  buffer.require_inside(size, offset);
  std::memcpy(to, buffer.data() + offset, size);
}

void bo::copy(const bo& from, size_t size, size_t from_offset, size_t offset) {
  const bo_impl& source = require_buffer(from.impl_);
  const bo_impl& target = require_buffer(impl_);
  if (size == 0) size = source.size() - from_offset;
  source.require_inside(size, from_offset);
  target.require_inside(size, offset);
  std::memmove(target.data() + offset, source.data() + from_offset, size);
}

export_handle bo::export_buffer() {
  const bo_impl& buffer = require_buffer(impl_);
  if (buffer.is_part()) fail(EINVAL, "a part of a buffer object cannot be exported");
  return check(xclExportBO(buffer.device(), buffer.handle()), "failed to export a buffer object");
}

}  // namespace xrt
