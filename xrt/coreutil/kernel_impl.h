// SPDX-License-Identifier: Apache-2.0
// What xrt::kernel stands for: contexts on compute units, and where their registers are.
#ifndef CONCLAVE_XRT_COREUTIL_KERNEL_IMPL_H_
#define CONCLAVE_XRT_COREUTIL_KERNEL_IMPL_H_

#include <memory>
#include <string>
#include <vector>

#include "xrt/coreutil/cu_context.h"
#include "xrt/coreutil/device_impl.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_kernel.h"

namespace xrt {

class kernel_impl {
 public:
  kernel_impl(std::shared_ptr<device_impl> device, const uuid& xclbin_id, const std::string& name,
              kernel::cu_access_mode mode);

  const std::shared_ptr<device_impl>& device() const { return device_; }
  const uuid& xclbin_id() const { return xclbin_id_; }
  // Without compute units.
  const std::string& name() const { return name_; }
  // The numbers of its compute units in the xclbin.
  const std::vector<uint32_t>& units() const { return units_; }
  const std::vector<xclConclaveArgument>& arguments() const { return arguments_; }
  // Throws system_error(EINVAL) if there is none.
  const xclConclaveArgument& argument(int index) const;
  int index_of(const std::string& argument) const;
  // Offset of the registers for the global size.
  uint32_t global_size() const { return global_size_; }

 private:
  const std::shared_ptr<device_impl> device_;
  const uuid xclbin_id_;
  const std::string name_;
  std::vector<uint32_t> units_;
  std::vector<xclConclaveArgument> arguments_;
  uint32_t global_size_ = 0;
  std::vector<cu_context> contexts_;
};

// Throws system_error(EINVAL) for an empty kernel.
const std::shared_ptr<kernel_impl>& require_kernel(const std::shared_ptr<kernel_impl>& kernel);

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_KERNEL_IMPL_H_
