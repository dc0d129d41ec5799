// SPDX-License-Identifier: Apache-2.0
// What xrt::bo stands for: a buffer object of the C interface, or a part of one.
#ifndef CONCLAVE_XRT_COREUTIL_BO_IMPL_H_
#define CONCLAVE_XRT_COREUTIL_BO_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "xrt/coreutil/device_impl.h"
#include "xrt/xrt.h"

namespace xrt {

class bo_impl {
 public:
  // Takes over a buffer object, and frees it at the end if it is `owned`. `handle` is NULLBO if the
  // call that should have made it has just failed.
  bo_impl(std::shared_ptr<device_impl> device, xclBufferHandle handle, bool owned = true);
  // A part, which must lie inside.
  bo_impl(std::shared_ptr<bo_impl> parent, size_t size, size_t offset);
  ~bo_impl();
  bo_impl(const bo_impl&) = delete;

  xclDeviceHandle device() const { return device_->handle(); }
  const std::shared_ptr<device_impl>& shared_device() const { return device_; }
  xclBufferHandle handle() const { return handle_; }
  size_t size() const { return size_; }
  uint64_t address() const { return address_; }
  uint32_t flags() const { return flags_; }
  bool is_part() const { return parent_ != nullptr; }
  std::byte* data() const { return data_; }
  // From the beginning of the whole.
  size_t offset() const { return offset_; }
  // Throws system_error(EINVAL) if the range does not lie inside.
  void require_inside(size_t size, size_t offset) const;

 private:
  const std::shared_ptr<device_impl> device_;
  const std::shared_ptr<bo_impl> parent_;  // null: the whole
  const xclBufferHandle handle_;
  const bool owned_;
  size_t offset_ = 0, size_ = 0;
  uint64_t address_ = 0;
  uint32_t flags_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_BO_IMPL_H_
