// SPDX-License-Identifier: Apache-2.0
// How programs and kernels use xclbins: a program loads one into the device's slot, and a
// kernel has contexts on its compute units.
#ifndef CONCLAVE_PLATFORM_MODEL_XCLBIN_BINDING_H_
#define CONCLAVE_PLATFORM_MODEL_XCLBIN_BINDING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/loader/xclbin.h"
#include "platform/share/xclbin_client.h"

namespace conclave {

// Loads the xclbin into the device's slot, or finds it there. Throws Error{CL_INVALID_BINARY} if
// the device has fewer compute units than the xclbin needs, and as XclbinSlot::load() does.
void load_xclbin(const Xclbin& xclbin);

// The compute units of this process's device to which these compute units of the xclbin belong.
ComputeUnitSet device_units(const Xclbin& xclbin, const std::vector<uint32_t>& units);

// A kernel's shared contexts on some compute units of an xclbin, for as long as the object lives.
// The kernel, its clones and its launches share it.
class XclbinBinding {
 public:
  // Loads the xclbin again if another one, which nobody uses, has taken its place. Throws Error as
  // that and XclbinSlot::open() do.
  XclbinBinding(std::shared_ptr<const Xclbin> xclbin, std::vector<uint32_t> units);

  const Xclbin& xclbin() const { return *xclbin_; }
  // Numbers of the compute units in the xclbin.
  const std::vector<uint32_t>& units() const { return units_; }
  const ComputeUnitSet& device_units() const { return device_units_; }

 private:
  std::shared_ptr<const Xclbin> xclbin_;
  std::vector<uint32_t> units_;
  ComputeUnitSet device_units_;
  share::XclbinClient client_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_XCLBIN_BINDING_H_
