// SPDX-License-Identifier: Apache-2.0
// One end of a stream, as a process that runs the kernel there has it: who may move how many bytes,
// and who has to be woken. The bytes themselves are the kernel's business (abi::Stream).
//
// Each end writes its own position and believes of the other end's only what can be: a position
// that says that more is in the buffer than fits there is the work of somebody who scribbles, and
// breaks the stream. What an end has done counts when it is published; it is published in chunks,
// so large that it costs little and so small that the other end does not wait for long.
#ifndef CONCLAVE_PLATFORM_SHARE_STREAM_END_H_
#define CONCLAVE_PLATFORM_SHARE_STREAM_END_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "conclave/kernel_abi.h"
#include "platform/share/graph_area.h"
#include "platform/share/share.h"

namespace conclave::share {

class StreamEnd {
 public:
  enum class Side { kRead, kWrite };
  // What a kernel that wants to move some bytes finds.
  enum class Finding { kCanMove, kHasToWait, kBroken };

  // `offset`: of the stream in the area; `bytes`: of its buffer.
  StreamEnd(Membership& here, std::string name, size_t offset, uint64_t bytes, Side side);
  ~StreamEnd() { detach(); }
  StreamEnd(const StreamEnd&) = delete;
  StreamEnd& operator=(const StreamEnd&) = delete;

  const std::string& name() const { return name_; }
  // What the kernel's argument points to.
  abi::Stream& view() { return view_; }

  // Takes the end; false while a kernel of this or another process has it, and where a process has
  // died that had it while the kernel at the other end, which is still there, does not know that
  // yet. Where a process has died at either end, what was in the stream goes.
  bool attach();
  bool attached() const { return attached_; }
  // Publishes what was done, and gives the end back.
  void detach() noexcept;

  // Publishes what the kernel has done, and lets it move `size` bytes, or more, if they are there.
  Finding look(uint64_t size);
  // Bytes in the buffer.
  uint64_t fill() const;
  // From now on the other end wakes this process (stream_bell.h) when it has moved something.
  void begin_wait() { mine_->waits.store(1); }

  // Why it is broken, for messages.
  std::string defect() const;

 private:
  bool lives(uint32_t owner) const;
  bool take();
  void publish();
  void tell_daemon() const;
  uint64_t movable() const;
  bool other_has_died() const;
  void adapt(uint64_t moved);

  abi::Stream view_{};
  Membership& here_;
  const std::string name_;
  const uint64_t bytes_;
  const Side side_;
  StreamSide* const mine_;
  StreamSide* const other_;
  bool attached_ = false;
  uint64_t chunk_;          // bytes to be moved before they are published
  uint64_t published_ = 0;  // the position then
  uint64_t published_ns_ = 0;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_STREAM_END_H_
