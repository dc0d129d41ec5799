// SPDX-License-Identifier: Apache-2.0
// One end of a stream in the process that runs the kernel there: who may move how many bytes, and
// who must be woken. The kernel moves the bytes itself (abi::Stream).
//
// Each end writes its own position and believes of the other end's only what is possible. A
// position that says that the buffer contains more than fits is the work of a vandal and breaks the
// stream. What an end has done counts when it is published. It is published in chunks: large enough
// to cost little, small enough that the other end does not wait for long.
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

  // `offset`: the stream's, in the area; `bytes`: the size of its buffer.
  StreamEnd(Membership& here, std::string name, size_t offset, uint64_t bytes, Side side);
  ~StreamEnd() { detach(); }
  StreamEnd(const StreamEnd&) = delete;
  StreamEnd& operator=(const StreamEnd&) = delete;

  const std::string& name() const { return name_; }
  // What the kernel's argument points to.
  abi::Stream& view() { return view_; }

  // Takes the end. False while a kernel of this or another process has it. Also false if the
  // process that had it has died, and the kernel at the other end, which is still there, does not
  // know that yet. If a process has died at either end, the stream's content is dropped.
  bool attach();
  bool attached() const { return attached_; }
  // Publishes what was done and gives the end back.
  void detach() noexcept;

  // Publishes what the kernel has done, and lets it move `size` bytes or more if they are there.
  Finding look(uint64_t size);
  // Bytes in the buffer.
  uint64_t fill() const;
  // From now on the other end wakes this process (stream_bell.h) after it has moved something.
  void begin_wait() { mine_->waits.store(1); }

  // Why the stream is broken, for messages.
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
