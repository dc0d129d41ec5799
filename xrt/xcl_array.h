// SPDX-License-Identifier: Apache-2.0
// What an xclConclaveArray stands for: the array, open in an access mode, and the host's ports at
// its streams.
#ifndef CONCLAVE_XRT_XCL_ARRAY_H_
#define CONCLAVE_XRT_XCL_ARRAY_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "platform/model/host_port.h"
#include "platform/share/access_handles.h"
#include "xrt/xcl_device.h"

namespace conclave::xrt {

// What an xclConclaveTransfer stands for.
struct XclTransfer {
  std::shared_ptr<HostPort> port;
  std::shared_ptr<HostPort::Transfer> transfer;
};

class XclArray {
 public:
  // Throws Error as share::OpenArray does.
  XclArray(std::shared_ptr<XclDevice> device, share::AccessMode mode)
      : device_(std::move(device)), open_(mode) {}
  ~XclArray() { drop(); }

  // Each throws Error{EPERM} if the mode does not permit it, and Error{EINVAL} if the array is not
  // open.

  void reset();
  // Starts to move a part of a buffer object in `direction`. Throws Error{EINVAL} for an unknown
  // port, a port of the other direction, a part of 0 bytes or one that does not lie inside; and as
  // HostPort::start() does.
  XclTransfer start(const std::string& port, xclBufferHandle buffer, xclBOSyncDirection direction,
                    size_t size, size_t offset);
  // Waits until everything that was started on the port has ended. Throws as HostPort::wait() does.
  void wait(const std::string& port);
  // Throws Error{EBUSY} while this process has graphs open. Otherwise what other threads wait for
  // fails.
  void close();
  // Lets those fail in any case. The array is closed when nobody has this object any more.
  void drop() noexcept;

  // Checks any other operation on the array.
  void require(share::Operation operation) const { open_.require(operation); }
  // The loaded xclbin. Throws Error{EINVAL} if there is none.
  std::shared_ptr<const Xclbin> xclbin() const { return device_->resident_xclbin(); }

  // The port of that name. Throws Error{EINVAL}.
  std::shared_ptr<HostPort> port(const std::string& name);

 private:
  const std::shared_ptr<XclDevice> device_;
  share::OpenArray open_;
  std::mutex mutex_;  // guards everything below
  std::shared_ptr<const Xclbin> xclbin_;
  std::map<std::string, std::shared_ptr<HostPort>> ports_;  // of xclbin_
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_ARRAY_H_
