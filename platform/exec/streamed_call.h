// SPDX-License-Identifier: Apache-2.0
// A call of a kernel that may have to wait: one that has streams, or belongs to a graph. It runs on
// a separate stack and workspace, so it can wait in the middle without keeping a compute unit, and
// go on later on another one. Such a kernel is a single work-item.
#ifndef CONCLAVE_PLATFORM_EXEC_STREAMED_CALL_H_
#define CONCLAVE_PLATFORM_EXEC_STREAMED_CALL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "conclave/kernel_abi.h"
#include "platform/exec/fiber.h"
#include "platform/exec/guarded_block.h"
#include "platform/exec/unit_services.h"
#include "platform/exec/waiting.h"
#include "platform/model/stream_ports.h"
#include "platform/share/stream_end.h"

namespace conclave {

class StreamedCall {
 public:
  // Throws Error{CL_OUT_OF_RESOURCES}.
  StreamedCall(const std::vector<StreamPort>& ports, size_t local_bytes, size_t spill_bytes,
               size_t private_bytes, uint32_t unit_number);
  ~StreamedCall();

  const abi::Workspace& workspace() const { return workspace_; }
  const abi::UnitAccess& access() const { return access_; }
  // What the argument of port number `i` points to.
  abi::Stream* argument(size_t i);

  // Begins with `body`, whose captures live as long as this call, once no other kernel has its
  // streams.
  void start(std::function<void()> body);
  bool started() const { return started_; }
  // Runs on until the body has ended or has to wait; whether it has ended. Inside of
  // kernel_calls::run(), which a broken stream leaves: defect() tells why then.
  bool run();
  // What the body waits for if run() has returned false.
  Waiting* waiting() { return waiting_; }
  const std::string& defect() const { return defect_; }
  // Publishes what the body has done, and gives its streams back.
  void finish();

  // Where a cancelled body is left: nowhere; at its next wait, or in the present one; or also where
  // it would only let others have the compute unit.
  enum class Cancel { kNot, kWhereItWaits, kAnywhere };
  // From any thread, one at a time.
  void cancel(Cancel how);
  // The next body is not cancelled. Called before it starts and before anybody else knows of it.
  void renew();

  // --- For the body, and what it calls ---

  // Returns when the wait is over; the thread may then be another one. Leaves the kernel's call if
  // the call has been cancelled.
  void wait_until(Waiting& waiting);
  // Lets others have the compute unit if it is time for that.
  void pause_if_due();
  // What kStreamWait and kStreamFill ask.
  static uint64_t wait(uint64_t stream, uint64_t bytes);
  static uint64_t fill(uint64_t stream);

 private:
  struct End {
    End(StreamedCall& of, share::Membership& here, const StreamPort& port)
        : end(here, port.name, port.offset, port.bytes, port.side), call(of) {}
    share::StreamEnd end;  // first: the kernel's argument points to its view()
    StreamedCall& call;
  };
  class AllEnds;
  class Movement;
  class Pause;

  bool attach();
  bool wait_for(share::StreamEnd& end, uint64_t bytes);
  bool is_cancelled() const { return cancelled_.load() != Cancel::kNot; }
  void suspend(Waiting& waiting, Cancel least);
  void leave_if(Cancel least);
  static void run_body(void* self);

  std::list<End> ends_;
  Fiber fiber_;
  GuardedBlock local_, spill_;
  UnitServices services_;
  const abi::UnitAccess access_;
  abi::Workspace workspace_{};
  std::function<void()> body_;
  bool started_ = false;
  uint64_t resumed_ns_ = 0;
  Waiting* waiting_ = nullptr;
  std::string defect_;
  std::atomic<Cancel> cancelled_{Cancel::kNot};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_STREAMED_CALL_H_
