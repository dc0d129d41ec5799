// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/stream_watch.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "platform/base/background_thread.h"
#include "platform/base/error.h"
#include "platform/share/guardian.h"
#include "platform/share/share.h"
#include "platform/share/stream_bell.h"

namespace conclave {
namespace {

// How often to look while somebody waits without a bell. It is also the longest sleep, in case the
// process has left the segment it slept in, or somebody scribbles over its bell.
constexpr uint64_t kPollNs = 5'000'000;
constexpr uint64_t kLongestSleepNs = 2'000'000'000;

}  // namespace

StreamWatch& StreamWatch::get() {
  // Leaked on purpose: its thread may still run when the host's static objects are destroyed.
  static auto* watch = new StreamWatch;
  return *watch;
}

bool StreamWatch::park(Waiting& waiting, std::function<void()> go_on) {
  // From now on it matters when another process dies.
  share::Guardian::start_once(share::Share::get().layout());
  const std::lock_guard lock(mutex_);
  ensure_thread();
  waiting.begin_wait();
  if (!waiting.polls() && waiting.is_over()) return false;
  parked_.push_back({&waiting, std::move(go_on)});
  if (parked_.size() == 1) {
    arrived_.notify_one();
  } else if (waiting.polls()) {  // the thread may sleep longer than this one can wait
    const share::Membership& here = share::Share::get().membership();
    share::StreamBells(here.segment.layout()).ring(here.self);
  }
  return true;
}

bool Waiting::park(std::function<void()> go_on) {
  return StreamWatch::get().park(*this, std::move(go_on));
}

void StreamWatch::ensure_thread() {
  if (has_thread_) return;
  start_background_thread<&StreamWatch::watch>("conclave-stream", this);
  has_thread_ = true;
}

// Takes out those that can go on.
std::vector<StreamWatch::Parked> StreamWatch::take_over() {
  std::vector<Parked> ready;
  std::erase_if(parked_, [&](Parked& parked) {
    if (!parked.waiting->is_over()) {
      parked.waiting->begin_wait();
      if (!parked.waiting->is_over()) return false;
    }
    ready.push_back(std::move(parked));
    return true;
  });
  return ready;
}

void StreamWatch::watch() {
  for (;;) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !parked_.empty(); });
    const share::Membership& here = share::Share::get().membership();
    const share::StreamBells bells(here.segment.layout());
    const uint32_t seen = bells.count(here.self);
    std::vector<Parked> ready = take_over();
    const bool polls = std::any_of(parked_.begin(), parked_.end(),
                                   [](const Parked& parked) { return parked.waiting->polls(); });
    lock.unlock();
    for (Parked& parked : ready) parked.go_on();
    if (ready.empty()) bells.sleep(here.self, seen, polls ? kPollNs : kLongestSleepNs);
  }
}

}  // namespace conclave
