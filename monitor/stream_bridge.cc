// SPDX-License-Identifier: Apache-2.0
#include "monitor/stream_bridge.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "platform/base/clock.h"
#include "platform/base/futex.h"
#include "platform/share/graph_area.h"

namespace conclave::monitor {
namespace {

using share::GraphPart;
using Place = BridgedStream::Place;

// How many a user may have, in either direction.
constexpr long kMostStreams = 64;
// Looking for streams may take a tenth of the time.
constexpr uint64_t kRestFactor = 9;
// How long to look whether more can be moved, after something has been moved.
constexpr uint64_t kSpinNs = 10'000;
// For users who ring too often, and for systems on which a thread cannot sleep on all bells.
constexpr uint64_t kPollNs = 1'000'000;

timespec as_time(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

// The words to sleep on.
struct StreamBridge::Sleep {
  void add(const void* word, uint32_t value) {
    if (count == FUTEX_WAITV_MAX) return at_most(kPollNs);
    words[count++] = {value, reinterpret_cast<uintptr_t>(word), FUTEX_32, 0};
  }
  void at_most(uint64_t ns) { timeout_ns = timeout_ns ? std::min(timeout_ns, ns) : ns; }
  void begin() const;

  futex_waitv words[FUTEX_WAITV_MAX];
  uint32_t count = 0;
  uint64_t timeout_ns = 0;  // 0: none
};

// Returns when one of the words has changed. Kernels before 5.16 can sleep on one word only.
void StreamBridge::Sleep::begin() const {
  const timespec until = as_time(now_ns() + timeout_ns);
  if (syscall(SYS_futex_waitv, words, count, 0, timeout_ns ? &until : nullptr, CLOCK_MONOTONIC) >=
          0 ||
      errno != ENOSYS)
    return;
  const uint64_t poll_ns = count > 1 ? kPollNs : timeout_ns;
  const timespec timeout = as_time(poll_ns);
  syscall(SYS_futex, words[0].uaddr, FUTEX_WAIT, static_cast<uint32_t>(words[0].val),
          poll_ns ? &timeout : nullptr, nullptr, 0);
}

StreamBridge::~StreamBridge() {
  over_.store(true);
  wake();
  thread_.join();
  for (BridgedStream& stream : streams_) stream.give_back();
}

void StreamBridge::wake() {
  calls_.fetch_add(1);
  syscall(SYS_futex, &calls_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void StreamBridge::look() {
  has_call_.store(true);
  wake();
}

void StreamBridge::add(Tenant& tenant) {
  {
    const std::lock_guard entrance(entrance_);
    const std::lock_guard lock(mutex_);
    users_[&tenant];
  }
  look();
}

void StreamBridge::remove(Tenant& tenant) {
  {
    const std::lock_guard entrance(entrance_);
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](BridgedStream& stream) {
      if (&stream.from() != &tenant && &stream.to() != &tenant) return false;
      stream.give_back();
      return true;
    });
    users_.erase(&tenant);
  }
  look();
}

void StreamBridge::serve() {
  while (!over_.load()) {
    Sleep sleep;
    sleep.add(&calls_, calls_.load());
    if (work(sleep))
      spin_pause();
    else
      sleep.begin();
  }
}

// Whether there may be more to do at once. Otherwise `sleep` has what to wait for.
bool StreamBridge::work(Sleep& sleep) {
  std::unique_lock entrance(entrance_);
  const std::lock_guard lock(mutex_);
  entrance.unlock();
  if (has_call_.load()) {
    if (const uint64_t now = now_ns(); now < next_look_ns_)
      sleep.at_most(next_look_ns_ - now);
    else
      find_streams();
  }
  const bool has_moved = move_all();
  const uint64_t now = streams_.empty() ? 0 : now_ns();
  if (has_moved) moved_ns_ = now;
  // The kernels at the ends also look for some time before they sleep (streamed_call.cc).
  if (has_moved || (!streams_.empty() && now - moved_ns_ < kSpinNs)) return true;
  listen(sleep);
  for (BridgedStream& stream : streams_) stream.begin_wait();
  return move_all();
}

// A part that a user has forged matches nobody else's.
void StreamBridge::find_streams() {
  const uint64_t begin = now_ns();
  has_call_.store(false);
  for (auto& [reader, user] : users_) {
    for (size_t number = 0; number < share::kGraphParts; ++number) {
      const uint64_t word = reader->graphs().parts[number].load();
      if (word == 0) break;
      const GraphPart part = GraphPart::of(word);
      if (part.kind == GraphPart::Kind::kStream && part.is_sound() &&
          Place(*reader, part).can_be_written())
        find_writer(number, part, *reader);
    }
  }
  const uint64_t end = now_ns();
  next_look_ns_ = end + kRestFactor * (end - begin);
}

// A writer that writes now goes before one that has left something in the stream.
void StreamBridge::find_writer(size_t number, const GraphPart& part, const Tenant& reader) {
  const Tenant* found = nullptr;
  for (auto& [writer, user] : users_) {
    const share::GraphHeader& theirs = writer->graphs();
    if (writer == &reader || theirs.parts[number].load() != part.word() ||
        !theirs.is_of_same_xclbin(reader.graphs()))
      continue;
    const Place place(*writer, part);
    if (!place.can_be_read() || (found && !place.has_writer())) continue;
    found = writer;
    if (place.has_writer()) break;
  }
  if (!found || !may_have_another(*found) || !may_have_another(reader)) return;
  if (auto stream = BridgedStream::open(Place(*found, part), Place(reader, part), part))
    streams_.push_back(*stream);
}

bool StreamBridge::may_have_another(const Tenant& tenant) const {
  return std::count_if(streams_.begin(), streams_.end(), [&](const BridgedStream& stream) {
           return &stream.from() == &tenant || &stream.to() == &tenant;
         }) < kMostStreams;
}

// Whether anything has moved. If a stream is over, another one may want its ends.
bool StreamBridge::move_all() {
  bool moved = false;
  std::erase_if(streams_, [&](BridgedStream& stream) {
    const BridgedStream::Finding finding = stream.move();
    moved |= finding != BridgedStream::Finding::kHasToWait;
    if (finding == BridgedStream::Finding::kOver) has_call_.store(true);
    return finding == BridgedStream::Finding::kOver;
  });
  return moved;
}

// From now on sleeps on the bells of those who have streams. Looks some time later at a user who
// has rung too often while nothing could be moved.
void StreamBridge::listen(Sleep& sleep) {
  for (auto& [tenant, user] : users_) {
    const bool has_stream =
        std::any_of(streams_.begin(), streams_.end(), [&](const BridgedStream& stream) {
          return &stream.from() == tenant || &stream.to() == tenant;
        });
    if (!has_stream) continue;
    const uint32_t slot = tenant->self().slot() % share::kBells;
    share::GraphHeader& header = tenant->graphs();
    header.sleeps[slot].store(1);
    const uint32_t rung = header.bells[slot].load();
    if (std::exchange(user.rung, rung) != rung && user.limit.exceeded())
      sleep.at_most(kPollNs);
    else
      sleep.add(&header.bells[slot], rung);
  }
}

}  // namespace conclave::monitor
