// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "xrt/coreutil/array_impl.h"
#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/graph_error.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_conclave.h"

namespace xrt::aie {

class profiling_impl {
 public:
  explicit profiling_impl(std::shared_ptr<device_impl> device) : device_(std::move(device)) {}
  ~profiling_impl() { free(); }
  profiling_impl(const profiling_impl&) = delete;

  void start(unsigned int option, const std::string& port) {
    const std::shared_ptr<array_impl> array = device_->array();
    const xclConclaveProfile started =
        xclConclaveStartProfile(require_array(array), option, port.c_str());
    if (!started) fail_on_graph(-errno, "failed to start profiling");
    free();
    handle_ = started;
  }
  xclConclaveProfile handle() const {
    if (!handle_) throw xrt_core::error(EINVAL, "profiling has not been started");
    return handle_;
  }

 private:
  void free() {
    if (handle_) xclConclaveFreeProfile(handle_);
  }

  const std::shared_ptr<device_impl> device_;
  xclConclaveProfile handle_ = nullptr;
};

namespace {

profiling_impl& require_profiling(const std::shared_ptr<profiling_impl>& impl) {
  if (!impl) throw xrt_core::error(EINVAL, "an empty profiling object");
  return *impl;
}

}  // namespace

profiling::profiling(const xrt::device& device)
    : impl_(std::make_shared<profiling_impl>(require_device(device))) {}

int profiling::start(profiling_option option, const std::string& port1, const std::string&,
                     uint32_t) const {
  require_profiling(impl_).start(static_cast<unsigned int>(option), port1);
  return 0;
}

uint64_t profiling::read() const {
  uint64_t count = 0;
  check_graph(xclConclaveReadProfile(require_profiling(impl_).handle(), &count),
              "failed to read profiling");
  return count;
}

void profiling::stop() const {
  check_graph(xclConclaveStopProfile(require_profiling(impl_).handle()),
              "failed to stop profiling");
}

}  // namespace xrt::aie
