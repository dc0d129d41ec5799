// SPDX-License-Identifier: Apache-2.0
// What an open xrt::aie::device has in addition to its device.
#ifndef CONCLAVE_XRT_COREUTIL_ARRAY_IMPL_H_
#define CONCLAVE_XRT_COREUTIL_ARRAY_IMPL_H_

#include <cerrno>
#include <memory>

#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/graph_error.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_conclave.h"

namespace xrt::aie {

class array_impl {
 public:
  array_impl(std::shared_ptr<device_impl> device, access_mode mode)
      : device_(std::move(device)),
        handle_(xclConclaveOpenArray(device_->handle(), static_cast<unsigned int>(mode))) {
    if (!handle_) fail_on_graph(-errno, "Fail to open AIE context");
  }
  ~array_impl() { xclConclaveDropArray(handle_); }
  array_impl(const array_impl&) = delete;

  xclConclaveArray handle() const { return handle_; }

 private:
  const std::shared_ptr<device_impl> device_;
  const xclConclaveArray handle_;
};

// Throws xrt_core::error(EINVAL) if it is closed.
inline xclConclaveArray require_array(const std::shared_ptr<array_impl>& array) {
  if (!array) throw xrt_core::error(EINVAL, "the array is not open");
  return array->handle();
}

}  // namespace xrt::aie

#endif  // CONCLAVE_XRT_COREUTIL_ARRAY_IMPL_H_
