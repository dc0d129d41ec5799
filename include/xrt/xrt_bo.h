// SPDX-License-Identifier: Apache-2.0
// xrt::bo: a buffer object, memory that kernels work on.
#ifndef CONCLAVE_XRT_XRT_BO_H_
#define CONCLAVE_XRT_XRT_BO_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "xrt.h"
#include "xrt_device.h"
#include "xrt_hw_context.h"

// For xrt::bo's constructor: a buffer object of XRT's C interface.
struct xcl_buffer_handle {
  xclBufferHandle bhdl;
};

namespace xrt {

// A bank of memory; there is one, 0. What kernel::group_id() tells.
using memory_group = uint32_t;
// A file descriptor.
using export_handle = xclBufferExportHandle;

// The process that an export handle belongs to.
struct pid_type {
  pid_t pid;
};

class bo_impl;
class async_handle_impl;

// Copies are the same memory. Host and device share it, so sync() only checks its arguments. A
// program that works here must still call it for other devices.
class XCL_DRIVER_DLLESPEC bo {
 public:
  // Only p2p makes a difference here: the memory can be exported at any time.
  enum class flags : uint32_t {
    normal = 0,
    cacheable = XCL_BO_FLAGS_CACHEABLE,
    svm = XCL_BO_FLAGS_SVM,
    device_only = XCL_BO_FLAGS_DEV_ONLY,
    host_only = XCL_BO_FLAGS_HOST_ONLY,
    p2p = XCL_BO_FLAGS_P2P
  };

  // All constructors throw system_error: EINVAL for a size of 0, ENOMEM if the device's heaps are
  // full. Sizes and offsets are in bytes.

  // An empty buffer object: calls on it throw EINVAL.
  bo() = default;
  // Memory of the device, all 0.
  bo(const device& device, size_t size, flags flags, memory_group group);
  bo(const device& device, size_t size, memory_group group)
      : bo(device, size, flags::normal, group) {}
  // The host's own memory, which must live as long as the buffer object and its runs.
  bo(const device& device, void* userptr, size_t size, flags flags, memory_group group);
  bo(const device& device, void* userptr, size_t size, memory_group group)
      : bo(device, userptr, size, flags::normal, group) {}
  // The memory of a descriptor that export_buffer() returned; the descriptor stays the caller's.
  // Throws system_error(EINVAL) for other descriptors.
  bo(const device& device, export_handle handle);
  // The same for a descriptor of another process, which keeps it open meanwhile. The system allows
  // that to processes that may trace that one (EPERM).
  bo(const device& device, pid_type pid, export_handle handle);
  // A part of another buffer object. Throws system_error(EINVAL) if it does not lie inside.
  bo(const bo& parent, size_t size, size_t offset);
  // XRT's C interface: a buffer object of `device`'s handle. The caller still has to free it.
  bo(const device& device, xcl_buffer_handle handle);

  bo(const hw_context& context, size_t size, flags flags, memory_group group)
      : bo(context.get_device(), size, flags, group) {}
  bo(const hw_context& context, size_t size, memory_group group)
      : bo(context.get_device(), size, group) {}
  bo(const hw_context& context, void* userptr, size_t size, flags flags, memory_group group)
      : bo(context.get_device(), userptr, size, flags, group) {}
  bo(const hw_context& context, void* userptr, size_t size, memory_group group)
      : bo(context.get_device(), userptr, size, group) {}

  explicit operator bool() const { return impl_ != nullptr; }
  bool operator==(const bo& other) const { return impl_ == other.impl_; }
  bool operator!=(const bo& other) const { return impl_ != other.impl_; }

  size_t size() const;
  // The value for the register of a kernel's pointer argument.
  uint64_t address() const;
  memory_group get_memory_group() const { return 0; }
  flags get_flags() const;

  // The memory, which exists as long as the buffer object.
  void* map();
  template <class Pointer>
  Pointer map() {
    return reinterpret_cast<Pointer>(map());
  }

  // These throw system_error(EINVAL) if [offset, offset + size) does not lie inside.
  void sync(xclBOSyncDirection direction, size_t size, size_t offset);
  void sync(xclBOSyncDirection direction) { sync(direction, size(), 0); }
  // What async() has started. It goes on even if nobody has this object any more.
  class XCL_DRIVER_DLLESPEC async_handle {
   public:
    async_handle() = default;
    explicit async_handle(std::shared_ptr<async_handle_impl> impl) : impl_(std::move(impl)) {}
    // Waits until it is done; throws its error. May be called any number of times.
    void wait();

   private:
    std::shared_ptr<async_handle_impl> impl_;  // null: nothing has to be waited for
  };
  // sync(), which is done when it returns.
  async_handle async(xclBOSyncDirection direction, size_t size, size_t offset) {
    sync(direction, size, offset);
    return {};
  }
  async_handle async(xclBOSyncDirection direction) { return async(direction, size(), 0); }
  // Copies from and to the host's memory.
  void write(const void* from, size_t size, size_t offset);
  void write(const void* from) { write(from, size(), 0); }
  void read(void* to, size_t size, size_t offset);
  void read(void* to) { read(to, size(), 0); }
  // Copies `size` bytes (0: all of this one) from another buffer object to this one.
  void copy(const bo& from, size_t size, size_t from_offset = 0, size_t offset = 0);
  void copy(const bo& from) { copy(from, 0); }

  // A new descriptor of the memory, for bo(device, handle) in another process; the caller closes
  // it. Not for the host's own memory or for a part (EINVAL). Without flags::p2p the first call
  // must come before the device's runs (EBUSY).
  export_handle export_buffer();

  const std::shared_ptr<bo_impl>& get_handle() const { return impl_; }

 private:
  std::shared_ptr<bo_impl> impl_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_BO_H_
