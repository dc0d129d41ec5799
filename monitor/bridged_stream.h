// SPDX-License-Identifier: Apache-2.0
// A stream from a kernel of one user to a kernel of another. Each user has the stream in their own
// segment. The daemon has the free end of both, and copies what is written at one to where it is
// read at the other. It tells the writer that bytes are read when the reader has read them, not
// when they are copied. So everything unread is in the writer's buffer, the two buffers hold as
// much as one, and the next reader, of whichever user, finds it there.
//
// If a process dies at one end, the other end finds in its place an owner who is not alive, as it
// does within a user (platform/share/stream_end.h).
#ifndef CONCLAVE_MONITOR_BRIDGED_STREAM_H_
#define CONCLAVE_MONITOR_BRIDGED_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "monitor/tenant.h"
#include "platform/share/graph_part.h"

namespace conclave::monitor {

class BridgedStream {
 public:
  // A stream in a user's segment. `part` has been checked.
  class Place {
   public:
    Place(const Tenant& tenant, const share::GraphPart& part);

    // Whether the daemon could take this end, and a kernel of this user has the other one. For the
    // read end also whether somebody has left something in the stream.
    bool can_be_read() const;
    bool can_be_written() const;
    bool has_writer() const { return stream().written.owner.load() != 0; }

   private:
    friend class BridgedStream;
    share::Stream& stream() const;
    std::byte* buffer() const;
    bool has_died(const share::StreamSide& side) const;
    bool holds(const share::StreamSide& side) const;
    bool take(share::StreamSide& side) const;
    void give(share::StreamSide& side) const;
    void give_as_dead(share::StreamSide& side) const;
    void wake(share::StreamSide& side) const;

    const Tenant* tenant_;
    size_t offset_;
    share::Owner self_;
  };

  // Takes the read end of `from` and the write end of `to`, if both are free.
  static std::optional<BridgedStream> open(const Place& from, const Place& to,
                                           const share::GraphPart& part);

  const Tenant& from() const { return *from_.tenant_; }
  const Tenant& to() const { return *to_.tenant_; }

  // Moves what can be moved, up to a number of bytes. Once it is over, the daemon has none of the
  // ends any more.
  enum class Finding { kMoved, kHasToWait, kOver };
  Finding move();
  // From now on the daemon's bells are rung when something has changed at either end.
  void begin_wait();
  // Frees both ends. A reader who is there keeps what has been copied.
  void give_back();

 private:
  BridgedStream(const Place& from, const Place& to, const share::GraphPart& part);
  uint64_t unread() const;
  uint64_t copy(uint64_t most);
  bool acknowledge(uint64_t read);
  bool end_if_over();
  void break_both();

  Place from_, to_;
  uint64_t bytes_;     // of either buffer
  uint64_t taken_;     // the position in `from` up to which everything is copied
  uint64_t read_;      // the position up to which it has been read, as the writer was told
  uint64_t given_;     // the position in `to` that corresponds to `taken_`
  uint64_t given_at_;  // where it began
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_BRIDGED_STREAM_H_
