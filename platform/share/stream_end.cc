// SPDX-License-Identifier: Apache-2.0
#include "platform/share/stream_end.h"

#include <algorithm>

#include "platform/base/clock.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/other_users.h"
#include "platform/share/segment_lock.h"
#include "platform/share/stream_bell.h"

namespace conclave::share {
namespace {

// Publishing costs some ten nanoseconds, and moves a cache line to another CPU.
constexpr uint64_t kOftenEnoughNs = 2'000;

Stream& stream_at(const Membership& here, size_t offset) {
  return *reinterpret_cast<Stream*>(here.segment.layout().graphs + offset);
}

}  // namespace

StreamEnd::StreamEnd(Membership& here, std::string name, size_t offset, uint64_t bytes, Side side)
    : here_(here),
      name_(std::move(name)),
      bytes_(bytes),
      side_(side),
      mine_(side == Side::kRead ? &stream_at(here, offset).read : &stream_at(here, offset).written),
      other_(side == Side::kRead ? &stream_at(here, offset).written
                                 : &stream_at(here, offset).read),
      chunk_(bytes / 4) {
  view_.buffer = &stream_at(here, offset) + 1;
  view_.mask = bytes - 1;
}

bool StreamEnd::lives(uint32_t owner) const {
  return here_.registry.find(Owner::from_bits(owner)) != nullptr;
}

bool StreamEnd::attach() {
  if (lives(mine_->owner.load())) return false;
  try {
    const SegmentLock lock(
        reinterpret_cast<GraphHeader*>(here_.segment.layout().graphs)->ends_lock);
    if (!take()) return false;
  } catch (const DamagedSegment&) {
    return false;
  }
  if (!lives(other_->owner.load())) tell_daemon();
  return true;
}

// The other end may be another user's: the daemon takes part then (monitor/stream_bridge.h).
void StreamEnd::tell_daemon() const {
  const Layout& layout = here_.segment.layout();
  if (!OtherUsers(layout).are_there()) return;
  reinterpret_cast<GraphHeader*>(layout.graphs)->end_changes.fetch_add(1);
  ring_daemon(layout);
}

// Called under the lock.
bool StreamEnd::take() {
  uint32_t former = mine_->owner.load(), other = other_->owner.load();
  const bool other_lives = lives(other);
  // If the former owner has died in the middle, the process that had the other end then must see
  // that before anything goes on.
  if (lives(former) || (former && other_lives)) return false;
  if (!mine_->owner.compare_exchange_strong(former, here_.self.bits())) return false;
  attached_ = true;
  if (former || (other && !other_lives)) {
    // What the dead process has left is useless to everybody.
    mine_->position.store(other_->position.load());
    if (other) other_->owner.compare_exchange_strong(other, 0);
  }
  // A reader empties the stream by its own position; a writer begins where the reader is.
  const uint64_t position = mine_->position.load(), others = other_->position.load();
  const uint64_t inside = side_ == Side::kRead ? others - position : position - others;
  view_.position = inside > bytes_ ? others : position;
  view_.limit = published_ = view_.position;
  published_ns_ = now_ns();
  mine_->position.store(view_.position);
  return true;
}

void StreamEnd::detach() noexcept {
  if (!attached_) return;
  publish();
  attached_ = false;
  uint32_t self = here_.self.bits();
  mine_->owner.compare_exchange_strong(self, 0);
  if (lives(other_->owner.load()) || fill() != 0) tell_daemon();
}

void StreamEnd::publish() {
  mine_->position.store(view_.position);
  StreamBells(here_.segment.layout()).wake(*other_);
}

uint64_t StreamEnd::movable() const {
  const uint64_t others = other_->position.load(std::memory_order_acquire);
  return side_ == Side::kRead ? others - view_.position : bytes_ - (view_.position - others);
}

uint64_t StreamEnd::fill() const {
  const uint64_t movable = std::min(this->movable(), bytes_);
  return side_ == Side::kRead ? movable : bytes_ - movable;
}

bool StreamEnd::other_has_died() const {
  const uint32_t other = other_->owner.load();
  return other && !lives(other);
}

StreamEnd::Finding StreamEnd::look(uint64_t size) {
  if (view_.position != published_) {
    publish();
    adapt(view_.position - published_);
    published_ = view_.position;
  }
  const uint64_t movable = this->movable();
  if (movable > bytes_ || size > bytes_) return Finding::kBroken;
  if (movable >= size) {
    view_.limit = view_.position + std::min(movable, std::max(size, chunk_));
    return Finding::kCanMove;
  }
  view_.limit = view_.position;
  return other_has_died() || !here_.is_entered() ? Finding::kBroken : Finding::kHasToWait;
}

// A slow kernel publishes each packet, a fast one a quarter of the buffer.
void StreamEnd::adapt(uint64_t moved) {
  const uint64_t now = now_ns();
  const uint64_t took = now - published_ns_;
  published_ns_ = now;
  if (took > kOftenEnoughNs)
    chunk_ = std::max<uint64_t>(moved / 2, 1);
  else
    chunk_ = std::min(2 * std::max(moved, chunk_), bytes_ / 4);
}

std::string StreamEnd::defect() const {
  if (!here_.is_entered()) return "this process is no longer among those that share the device";
  if (movable() > bytes_) return "it is damaged: more is in it than fits";
  if (other_has_died())
    return std::string("the process that ") + (side_ == Side::kRead ? "wrote" : "read") +
           " it has ended in the middle";
  return "a packet is larger than its buffer of " + std::to_string(bytes_) + " bytes";
}

}  // namespace conclave::share
