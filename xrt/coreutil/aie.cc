// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_aie.h"

#include <cerrno>

#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/graph_error.h"
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

void device::open(access_mode mode) {
  if (mode == access_mode::none) return;
  array_ = std::make_shared<array_impl>(require_device(*this), mode);
  mode_ = mode;
}

void device::reset_array() {
  if (!array_) throw xrt_core::error(EINVAL, "the array is not open");
  check_graph(xclConclaveResetArray(array_->handle()), "failed to reset the array");
}

}  // namespace xrt::aie
