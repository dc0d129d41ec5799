// SPDX-License-Identifier: Apache-2.0
#include "monitor/bridged_stream.h"

#include <algorithm>
#include <cstring>

#include "platform/share/stream_bell.h"

namespace conclave::monitor {
namespace {

using share::GraphPart;
using share::Owner;
using share::StreamSide;

// How many bytes to copy at a time, so that one stream does not keep others waiting.
constexpr uint64_t kMostBytes = 64 << 10;

// An owner behind the end of every table, which is never alive.
constexpr Owner kDead(share::kMaxProcesses, 0);

}  // namespace

// --- Place ---

BridgedStream::Place::Place(const Tenant& tenant, const GraphPart& part)
    : tenant_(&tenant), offset_(part.offset), self_(tenant.self()) {}

share::Stream& BridgedStream::Place::stream() const {
  return *reinterpret_cast<share::Stream*>(tenant_->layout().graphs + offset_);
}

std::byte* BridgedStream::Place::buffer() const {
  return reinterpret_cast<std::byte*>(&stream() + 1);
}

bool BridgedStream::Place::has_died(const StreamSide& side) const {
  const Owner owner = Owner::from_bits(side.owner.load());
  return owner.bits() != 0 && !share::Registry(tenant_->layout()).find(owner);
}

// The entry may have been removed, and the daemon have entered again.
bool BridgedStream::Place::holds(const StreamSide& side) const {
  return side.owner.load() == self_.bits() && tenant_->self() == self_;
}

bool BridgedStream::Place::can_be_read() const {
  const share::Stream& stream = this->stream();
  if (stream.read.owner.load() != 0 || holds(stream.written) || has_died(stream.written))
    return false;
  return stream.written.owner.load() != 0 ||
         stream.written.position.load() != stream.read.position.load();
}

bool BridgedStream::Place::can_be_written() const {
  const share::Stream& stream = this->stream();
  return stream.written.owner.load() == 0 && stream.read.owner.load() != 0 && !holds(stream.read) &&
         !has_died(stream.read);
}

bool BridgedStream::Place::take(StreamSide& side) const {
  uint32_t nobody = 0;
  return side.owner.compare_exchange_strong(nobody, self_.bits());
}

void BridgedStream::Place::give(StreamSide& side) const {
  uint32_t mine = self_.bits();
  side.owner.compare_exchange_strong(mine, 0);
}

void BridgedStream::Place::give_as_dead(StreamSide& side) const {
  uint32_t mine = self_.bits();
  side.owner.compare_exchange_strong(mine, kDead.bits());
}

void BridgedStream::Place::wake(StreamSide& side) const {
  share::StreamBells(tenant_->layout()).wake(side);
}

// --- The stream ---

std::optional<BridgedStream> BridgedStream::open(const Place& from, const Place& to,
                                                 const GraphPart& part) {
  if (!from.take(from.stream().read)) return std::nullopt;
  if (!to.take(to.stream().written)) {
    from.give(from.stream().read);
    return std::nullopt;
  }
  return BridgedStream(from, to, part);
}

// Begins like a StreamEnd: if the positions say that more is inside than fits, nothing is.
BridgedStream::BridgedStream(const Place& from, const Place& to, const GraphPart& part)
    : from_(from), to_(to), bytes_(part.bytes) {
  share::Stream &here = from_.stream(), &there = to_.stream();
  const uint64_t written = here.written.position.load();
  read_ = here.read.position.load();
  if (written - read_ > bytes_) here.read.position.store(read_ = written);
  taken_ = read_;
  given_ = there.written.position.load();
  const uint64_t read = there.read.position.load();
  if (given_ - read > bytes_) there.written.position.store(given_ = read);
  given_at_ = given_;
}

// How many of the copied bytes nobody has read. The reader first reads what lay there before.
uint64_t BridgedStream::unread() const {
  return std::min(given_ - to_.stream().read.position.load(), given_ - given_at_);
}

uint64_t BridgedStream::copy(uint64_t most) {
  const std::byte* source = from_.buffer();
  std::byte* target = to_.buffer();
  const uint64_t mask = bytes_ - 1;
  for (uint64_t left = most; left > 0;) {
    const uint64_t at = taken_ & mask, to = given_ & mask;
    const uint64_t size = std::min({left, bytes_ - at, bytes_ - to});
    std::memcpy(target + to, source + at, size);
    taken_ += size;
    given_ += size;
    left -= size;
  }
  if (most > 0) {
    to_.stream().written.position.store(given_);
    to_.wake(to_.stream().read);
  }
  return most;
}

// Tells the writer how far it has been read; false if that is not new. The position never goes
// back, since the writer has used the room.
bool BridgedStream::acknowledge(uint64_t read) {
  if (read == read_ || read - read_ > taken_ - read_) return false;
  read_ = read;
  from_.stream().read.position.store(read_);
  from_.wake(from_.stream().written);
  return true;
}

BridgedStream::Finding BridgedStream::move() {
  share::Stream &here = from_.stream(), &there = to_.stream();
  if (!from_.holds(here.read) || !to_.holds(there.written)) {
    break_both();
    return Finding::kOver;
  }
  const uint64_t written = here.written.position.load();
  const uint64_t used = given_ - there.read.position.load();
  if (written - read_ > bytes_ || written - taken_ > bytes_ || used > bytes_) {
    break_both();
    return Finding::kOver;
  }
  const bool has_copied = copy(std::min({written - taken_, bytes_ - used, kMostBytes})) > 0;
  if (acknowledge(taken_ - unread()) || has_copied) return Finding::kMoved;
  return end_if_over() ? Finding::kOver : Finding::kHasToWait;
}

// Called when nothing can be moved.
bool BridgedStream::end_if_over() {
  share::Stream &here = from_.stream(), &there = to_.stream();
  if (to_.has_died(there.read)) {
    from_.give_as_dead(here.read);
    from_.wake(here.written);
    to_.give(there.written);
    return true;
  }
  // This order matters: what a writer published before it died is there.
  const bool writer_has_died = from_.has_died(here.written);
  const bool has_writer = here.written.owner.load() != 0;
  if (here.written.position.load() == taken_) {
    if (writer_has_died) {
      to_.give_as_dead(there.written);
      to_.wake(there.read);
      acknowledge(taken_);
      from_.give(here.read);
      return true;
    }
    if (!has_writer && unread() == 0) {
      give_back();
      return true;
    }
  }
  if (there.read.owner.load() != 0) return false;
  give_back();
  return true;
}

void BridgedStream::begin_wait() {
  from_.stream().read.waits.store(1);
  to_.stream().written.waits.store(1);
}

void BridgedStream::give_back() {
  share::Stream &here = from_.stream(), &there = to_.stream();
  if (to_.take(there.read)) {
    // Nobody can take an end while the daemon has both. What is unread goes back to where it came
    // from.
    const uint64_t left = unread();
    if (left <= bytes_) {
      acknowledge(taken_ - left);
      there.written.position.store(given_ - left);
    }
    to_.give(there.read);
  } else {
    acknowledge(taken_);
  }
  to_.give(there.written);
  from_.give(here.read);
}

void BridgedStream::break_both() {
  share::Stream &here = from_.stream(), &there = to_.stream();
  from_.give_as_dead(here.read);
  from_.wake(here.written);
  to_.give_as_dead(there.written);
  to_.wake(there.read);
}

}  // namespace conclave::monitor
