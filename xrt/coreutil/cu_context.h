// SPDX-License-Identifier: Apache-2.0
// A context on the xclbin, open for as long as the object lives.
#ifndef CONCLAVE_XRT_COREUTIL_CU_CONTEXT_H_
#define CONCLAVE_XRT_COREUTIL_CU_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/failure.h"

namespace xrt {

class cu_context {
 public:
  // Stands for no compute unit: a context that only pins the xclbin.
  static constexpr uint32_t kXclbin = ~uint32_t{0};

  // Throws system_error with a text that begins with `what`.
  cu_context(std::shared_ptr<device_impl> device, const uuid& uuid, uint32_t unit, bool shared,
             const char* what)
      : device_(std::move(device)), uuid_(uuid), unit_(unit) {
    check(xclOpenContext(device_->handle(), uuid_.get(), unit_, shared), what);
  }
  ~cu_context() {
    if (device_) xclCloseContext(device_->handle(), uuid_.get(), unit_);
  }
  cu_context(cu_context&& other) = default;
  cu_context& operator=(cu_context&&) = delete;

 private:
  std::shared_ptr<device_impl> device_;
  uuid uuid_;
  uint32_t unit_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_CU_CONTEXT_H_
