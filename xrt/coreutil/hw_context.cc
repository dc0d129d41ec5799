// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_hw_context.h"

#include "xrt/coreutil/cu_context.h"
#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/failure.h"

namespace xrt {
namespace {

constexpr char kFailed[] = "Failed to create hardware context";

}  // namespace

class hw_context_impl {
 public:
  hw_context_impl(const device& of, const uuid& id, hw_context::access_mode access)
      : owner(of),
        xclbin_id(id),
        mode(access),
        pin_(load(), id, cu_context::kXclbin, true, kFailed) {}

  const device owner;
  const uuid xclbin_id;
  const hw_context::access_mode mode;

 private:
  // An xclbin that the device has kept is loaded only now.
  std::shared_ptr<device_impl> load() const {
    auto device = require_device(owner);
    const xclbin kept = device->kept(xclbin_id);
    if (kept && device->loaded() != xclbin_id)
      check(xclLoadXclBin(device->handle(), kept.get_axlf()), kFailed);
    return device;
  }

  cu_context pin_;
};

namespace {

const hw_context_impl& require_context(const std::shared_ptr<hw_context_impl>& context) {
  if (!context) fail(EINVAL, "an empty hardware context");
  return *context;
}

}  // namespace

hw_context::hw_context(const device& device, const uuid& uuid, access_mode mode)
    : impl_(std::make_shared<hw_context_impl>(device, uuid, mode)) {}

device hw_context::get_device() const {
  return require_context(impl_).owner;
}

uuid hw_context::get_xclbin_uuid() const {
  return require_context(impl_).xclbin_id;
}

xclbin hw_context::get_xclbin() const {
  return require_device(get_device())->kept(require_context(impl_).xclbin_id);
}

hw_context::access_mode hw_context::get_mode() const {
  return require_context(impl_).mode;
}

}  // namespace xrt
