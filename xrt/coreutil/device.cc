// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_device.h"

#include <cerrno>

#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/failure.h"
#include "xrt/xrt_conclave.h"

namespace xrt {
namespace {

// Devices on a bus have an address there. This one has a name of the same form.
constexpr char kBdf[] = "0000:00:00.0";

}  // namespace

void fail_as_told(int error_number, const std::string& what) {
  const std::string why = xclConclaveErrorText();
  fail(error_number, why.empty() ? what : what + ": " + why);
}

// --- device_impl ---

device_impl::device_impl(unsigned int index) : handle_(xclOpen(index, nullptr, XCL_QUIET)) {
  if (!handle_) fail_as_told(ENODEV, "device " + std::to_string(index) + " cannot be opened");
}

device_impl::~device_impl() {
  xclClose(handle_);
}

void device_impl::load(const xclbin& container) {
  if (!container) fail(EINVAL, "failed to load an empty xclbin");
  check(xclLoadXclBin(handle_, container.get_axlf()), "failed to load xclbin");
  keep(container);
}

uuid device_impl::loaded() const {
  xuid_t bytes{};
  const int result = xclConclaveGetXclbin(handle_, bytes);
  if (result != -ENOENT) check(result, "failed to look for the xclbin");
  return result < 0 ? uuid() : uuid(bytes);
}

void device_impl::keep(const xclbin& container) {
  const std::lock_guard<std::mutex> lock(mutex_);
  xclbins_.emplace(container.get_uuid(), container);
}

xclbin device_impl::kept(const uuid& uuid) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = xclbins_.find(uuid);
  return found == xclbins_.end() ? xclbin() : found->second;
}

void device_impl::note(const std::shared_ptr<aie::array_impl>& array) {
  const std::lock_guard<std::mutex> lock(mutex_);
  array_ = array;
}

std::shared_ptr<aie::array_impl> device_impl::array() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return array_.lock();
}

std::shared_ptr<device_impl> require_device(const device& device) {
  if (!device) fail(ENODEV, "an empty device");
  return device.get_handle();
}

// --- device ---

device::device(unsigned int index) : impl_(std::make_shared<device_impl>(index)) {}

device::device(const std::string& bdf) {
  if (bdf != kBdf && bdf != "0")
    fail(ENODEV, "there is no device '" + bdf + "'; there is '" + kBdf + "'");
  impl_ = std::make_shared<device_impl>(0);
}

uuid device::load_xclbin(const std::string& file) {
  return load_xclbin(xclbin(file));
}

uuid device::load_xclbin(const axlf* container) {
  return load_xclbin(xclbin(container));
}

uuid device::load_xclbin(const xclbin& container) {
  require_device(*this)->load(container);
  return container.get_uuid();
}

uuid device::register_xclbin(const xclbin& container) {
  const uuid id = container.get_uuid();
  require_device(*this)->keep(container);
  return id;
}

uuid device::get_xclbin_uuid() const {
  return require_device(*this)->loaded();
}

device::operator xclDeviceHandle() const {
  return impl_ ? impl_->handle() : nullptr;
}

void device::get_info(info::device what, void* value) const {
  xclConclaveDevice told{};
  check(xclConclaveGetDevice(require_device(*this)->handle(), &told), "failed to ask the device");
  switch (what) {
    case info::device::bdf:
      *static_cast<std::string*>(value) = kBdf;
      return;
    case info::device::name:
      *static_cast<std::string*>(value) = told.name;
      return;
    case info::device::max_clock_frequency_mhz:
      *static_cast<unsigned long*>(value) = told.clock_mhz;
      return;
    case info::device::nodma:
      *static_cast<bool*>(value) = true;
      return;
    case info::device::interface_uuid:  // what does not exist is as the value was made: 0
    case info::device::kdma:
    case info::device::m2m:
    case info::device::offline:
      return;
  }
  fail(EINVAL, "an unknown question about the device");
}

}  // namespace xrt
