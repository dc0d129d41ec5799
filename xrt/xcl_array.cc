// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_array.h"

#include <cerrno>

#include "platform/base/error.h"

namespace conclave::xrt {
namespace {

using share::Operation;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(CL_INVALID_VALUE, text, EINVAL);
}

std::map<std::string, std::shared_ptr<HostPort>> ports_of(
    const std::shared_ptr<const Xclbin>& xclbin) {
  std::map<std::string, std::shared_ptr<HostPort>> ports;
  const auto& streams = xclbin->layout().streams;
  for (size_t i = 0; i < streams.size(); ++i)
    if (const std::string name = streams[i].host_port(); !name.empty())
      ports.emplace(name, std::make_shared<HostPort>(xclbin, i));
  return ports;
}

void require_direction(const HostPort& port, xclBOSyncDirection direction) {
  if (direction != XCL_BO_SYNC_BO_GMIO_TO_AIE && direction != XCL_BO_SYNC_BO_AIE_TO_GMIO)
    refuse("a buffer object moves through a port in direction GMIO_TO_AIE or AIE_TO_GMIO, not " +
           std::to_string(direction));
  const bool leads_in = port.side() == HostPort::Side::kWrite;
  if (leads_in != (direction == XCL_BO_SYNC_BO_GMIO_TO_AIE))
    refuse("port '" + port.name() + "' leads from the " +
           (leads_in ? "host to the array" : "array to the host"));
}

}  // namespace

void XclArray::reset() {
  open_.require(Operation::kArrayReset);
  device_->reset_graphs();
}

std::shared_ptr<HostPort> XclArray::port(const std::string& name) {
  const auto xclbin = this->xclbin();
  const std::lock_guard lock(mutex_);
  if (!xclbin_ || xclbin_->uuid() != xclbin->uuid()) {
    ports_ = ports_of(xclbin);
    xclbin_ = xclbin;
  }
  if (const auto found = ports_.find(name); found != ports_.end()) return found->second;
  std::string names;
  for (const auto& [known, unused] : ports_) names += (names.empty() ? "" : ", ") + known;
  refuse("the xclbin has no port '" + name.substr(0, 80) + "' of the host; it has " +
         (names.empty() ? "none" : names));
}

XclTransfer XclArray::start(const std::string& name, xclBufferHandle buffer,
                            xclBOSyncDirection direction, size_t size, size_t offset) {
  open_.require(Operation::kArraySync);
  const std::shared_ptr<HostPort> found = port(name);
  require_direction(*found, direction);
  if (size == 0) refuse("a transfer of 0 bytes");
  return {found, found->start(device_->memory(buffer, size, offset), size, offset)};
}

void XclArray::wait(const std::string& name) {
  open_.require(Operation::kArrayWait);
  port(name)->wait();
}

void XclArray::close() {
  open_.close();
  drop();
}

void XclArray::drop() noexcept {
  std::map<std::string, std::shared_ptr<HostPort>> ports;
  {
    const std::lock_guard lock(mutex_);
    ports.swap(ports_);
    xclbin_ = nullptr;
  }
  for (const auto& [name, port] : ports) port->close();
}

}  // namespace conclave::xrt
