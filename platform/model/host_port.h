// SPDX-License-Identifier: Apache-2.0
// A port of the host at a stream of the xclbin, which XRT calls GMIO. It moves the bytes of
// buffers into the stream, or out of it, as fast as the kernel at the other end takes or gives
// them.
//
// The thread that starts a transfer moves what can be moved at once, and the stream watch's thread
// moves the rest. While there are transfers the port has its end of the stream, as a running kernel
// has, and pins the xclbin.
#ifndef CONCLAVE_PLATFORM_MODEL_HOST_PORT_H_
#define CONCLAVE_PLATFORM_MODEL_HOST_PORT_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "platform/exec/waiting.h"
#include "platform/loader/xclbin.h"
#include "platform/model/memory.h"
#include "platform/share/stream_end.h"
#include "platform/share/xclbin_client.h"

namespace conclave {

class HostPort : public std::enable_shared_from_this<HostPort>, private Waiting {
 public:
  using Side = share::StreamEnd::Side;

  // A part of a buffer that is being moved; guarded by the port's lock.
  struct Transfer {
    Ref<Memory> memory;  // kept until it ends
    std::byte* next;     // to be moved
    size_t left;
    int error_number = 0;  // why it has failed; 0: it has not
    std::string failure;

    bool has_failed() const { return error_number != 0; }
  };

  // The host's end of stream number `stream` of the xclbin.
  HostPort(std::shared_ptr<const Xclbin> xclbin, size_t stream);
  ~HostPort();

  // Whether the host writes or reads the stream.
  Side side() const { return side_; }
  const std::string& name() const { return name_; }

  // Moves the range, which lies in the buffer, after everything that was started before. Throws
  // Error{EINVAL} if the xclbin is no longer loaded, and Error{ENODEV} once this is closed.
  std::shared_ptr<Transfer> start(Ref<Memory> memory, size_t size, size_t offset);
  // Waits until it has ended. Throws Error{EIO} if the stream breaks, since the process at the
  // other end has died or this one is no longer among those that share the device. Throws
  // Error{ENODEV} if this is closed.
  void wait(const Transfer& transfer);
  // The same for the last one that was started, if any.
  void wait();
  // Lets transfers that have not ended fail.
  void close() noexcept;

 private:
  enum class Step { kDone, kHasToWait, kTurnIsOver };

  void take_end();
  void leave_end() noexcept;
  void move() noexcept;
  void go_on() noexcept;
  Step advance();
  void copy(Transfer& transfer);
  void fail_all(int error_number, const std::string& why);

  void begin_wait() override;
  bool is_over() override;
  bool polls() const override;

  const std::shared_ptr<const Xclbin> xclbin_;
  const size_t stream_;
  const std::string name_;
  const Side side_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<std::shared_ptr<Transfer>> queue_;
  std::shared_ptr<const Transfer> last_;
  share::XclbinClient pin_;                // while there are transfers
  std::unique_ptr<share::StreamEnd> end_;  // likewise; only the watch uses it while that waits
  bool turn_is_over_ = false;
  std::atomic<bool> closed_{false};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_HOST_PORT_H_
