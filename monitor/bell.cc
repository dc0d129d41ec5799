// SPDX-License-Identifier: Apache-2.0
#include "monitor/bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <utility>

#include "monitor/rate_limit.h"
#include "platform/base/wake_up_claim.h"
#include "platform/share/daemon_bell.h"

namespace conclave::monitor {
namespace {

constexpr useconds_t kRestUs = 1000;

}  // namespace

Bell::Bell(const share::Layout& layout, std::function<void()> answer)
    : layout_(layout), answer_(std::move(answer)), thread_([this] { listen(); }) {}

Bell::~Bell() {
  over_.store(true);
  // Somebody may have cleared the word by which ring_daemon() knows that there is a daemon.
  share::strike_bell(layout_);
  thread_.join();
}

void Bell::listen() {
  share::Header& header = layout_.header();
  share::Atomic<uint32_t>& bell = header.bell;
  // Processes that ring wait for a compute unit on which others may be computing now.
  WakeUpClaim().set(true);
  RateLimit limit;
  uint32_t told = header.questions.load();
  while (!over_.load()) {
    const uint32_t seen = bell.load();
    const uint32_t asked = header.questions.load();
    answer_();
    header.answered.store(seen);
    if (std::exchange(told, asked) != asked)
      syscall(SYS_futex, &header.answered, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    if (limit.exceeded()) usleep(kRestUs);
    if (over_.load()) return;
    syscall(SYS_futex, &bell, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

}  // namespace conclave::monitor
