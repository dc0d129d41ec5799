// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_aie.h"

#include <cerrno>

#include "xrt/coreutil/array_impl.h"
#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/graph_error.h"
#include "xrt/xrt_conclave.h"

namespace xrt::aie {

void device::open(access_mode mode) {
  if (mode == access_mode::none) return;
  const std::shared_ptr<device_impl> device = require_device(*this);
  array_ = std::make_shared<array_impl>(device, mode);
  device->note(array_);
  mode_ = mode;
}

void device::close() {
  check_graph(xclConclaveCloseArray(require_array(array_)), "failed to close the array");
}

void device::reset_array() {
  check_graph(xclConclaveResetArray(require_array(array_)), "failed to reset the array");
}

void device::wait_gmio(const std::string& port) {
  check_graph(xclConclaveWaitPort(require_array(array_), port.c_str()),
              "failed to wait for the port");
}

}  // namespace xrt::aie
