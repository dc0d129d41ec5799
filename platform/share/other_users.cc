// SPDX-License-Identifier: Apache-2.0
#include "platform/share/other_users.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "platform/base/clock.h"
#include "platform/base/log.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/process_identity.h"
#include "platform/share/registry.h"

namespace conclave::share {
namespace {

constexpr uint64_t kPatienceNs = 500'000'000;
constexpr timespec kLook = {0, 20'000'000};

// The last answer of a daemon that has kept this process waiting in vain, with a bit that tells it
// from none. While the daemon stays silent there are no other users.
std::atomic<uint64_t> g_silent{0};

uint64_t silence_at(uint32_t answered) {
  return uint64_t{1} << 32 | answered;
}

}  // namespace

bool OtherUsers::are_there() const {
  const Header& header = layout_.header();
  return header.other_users.load() != 0 && header.daemon.load() != 0 &&
         g_silent.load() != silence_at(header.answered.load());
}

const ProcessEntry& OtherUsers::entry() const {
  if (!are_there()) return nowhere;
  const Owner daemon = Owner::from_bits(layout_.header().daemon.load());
  const ProcessEntry* entry = Registry(layout_).find(daemon);
  return entry ? *entry : nowhere;
}

bool OtherUsers::have_replaced(const Uuid& uuid) const {
  const Uuid last = xclbin();
  return last != Uuid{} && last != uuid;
}

bool OtherUsers::know_as_the_last(const Uuid& uuid) const {
  const Uuid last = xclbin();
  return last != Uuid{} && last == uuid;
}

// Zeros if there is none, or if there are no other users.
OtherUsers::Uuid OtherUsers::xclbin() const {
  Uuid uuid{};
  if (!are_there()) return uuid;
  const Header& header = layout_.header();
  const uint64_t words[2] = {header.last_xclbin[0].load(), header.last_xclbin[1].load()};
  std::memcpy(uuid.data(), words, sizeof words);
  return uuid;
}

void OtherUsers::consult() const {
  if (!are_there()) return;
  Header& header = layout_.header();
  header.questions.fetch_add(1);
  const uint32_t mine = strike_bell(layout_);
  const uint64_t since = now_ns();
  for (;;) {
    const uint32_t answered = header.answered.load();
    if (static_cast<int32_t>(answered - mine) >= 0) return;
    const Owner daemon = Owner::from_bits(header.daemon.load());
    if (liveness(Registry(layout_).identity(daemon)) == Liveness::kDead)
      return Registry(layout_).remove_blockless(daemon);
    if (now_ns() - since > kPatienceNs) {
      g_silent.store(silence_at(answered));
      log::warn("ti-mctd does not answer; what other users have is not known");
      return;
    }
    syscall(SYS_futex, &header.answered, FUTEX_WAIT, answered, &kLook, nullptr, 0);
  }
}

}  // namespace conclave::share
