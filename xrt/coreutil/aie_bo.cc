// SPDX-License-Identifier: Apache-2.0
// Buffer objects that move through the host's ports at the array.
#include <cerrno>

#include "xrt/coreutil/array_impl.h"
#include "xrt/coreutil/bo_impl.h"
#include "xrt/coreutil/graph_error.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_conclave.h"

namespace xrt {

class async_handle_impl {
 public:
  // Takes the transfer over, and keeps its memory alive.
  async_handle_impl(std::shared_ptr<bo_impl> buffer, xclConclaveTransfer handle)
      : buffer_(std::move(buffer)), handle_(handle) {}
  ~async_handle_impl() { xclConclaveFreeTransfer(handle_); }
  async_handle_impl(const async_handle_impl&) = delete;

  xclConclaveTransfer handle() const { return handle_; }

 private:
  const std::shared_ptr<bo_impl> buffer_;
  const xclConclaveTransfer handle_;
};

void bo::async_handle::wait() {
  if (impl_)
    check_graph(xclConclaveWaitTransfer(impl_->handle()), "failed to move a buffer object");
}

namespace aie {

bo::async_handle bo::async(const std::string& port, xclBOSyncDirection direction, size_t size,
                           size_t offset) {
  const auto& buffer = get_handle();
  if (!buffer) throw xrt_core::error(EINVAL, "an empty buffer object");
  buffer->require_inside(size, offset);
  const std::shared_ptr<array_impl> array = buffer->shared_device()->array();
  const xclConclaveTransfer transfer =
      xclConclaveStartTransfer(require_array(array), port.c_str(), buffer->handle(), direction,
                               size, buffer->offset() + offset);
  if (!transfer) fail_on_graph(-errno, "failed to move a buffer object through port " + port);
  return async_handle(std::make_shared<async_handle_impl>(buffer, transfer));
}

}  // namespace aie
}  // namespace xrt
