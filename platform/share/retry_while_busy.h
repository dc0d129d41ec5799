// SPDX-License-Identifier: Apache-2.0
// Waits for others instead of failing, if the configuration says so (`xclbin-wait-ms`).
#ifndef CONCLAVE_PLATFORM_SHARE_RETRY_WHILE_BUSY_H_
#define CONCLAVE_PLATFORM_SHARE_RETRY_WHILE_BUSY_H_

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>

#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/share/share.h"

namespace conclave::share {

// Calls `attempt`, and again whenever something of the xclbin changes, while it throws
// Error{EBUSY} and for as long as the configuration allows.
template <class Attempt>
auto retry_while_busy(Attempt attempt) {
  // How often a waiting process looks for dead holders.
  constexpr uint32_t kLookMs = 50;
  Share& share = Share::get();
  const uint64_t wait_ms = Config::get().xclbin_wait_ms;
  const uint64_t start = wait_ms ? now_ns() : 0;
  for (;;) {
    const XclbinSlot& slot = share.xclbin_slot();
    const uint32_t seen = slot.changes();
    uint64_t left_ms = 0;
    try {
      return share.beyond_damage(attempt);
    } catch (const Error& error) {
      if (error.error_number() != EBUSY || wait_ms == 0) throw;
      const uint64_t waited_ms = (now_ns() - start) / 1'000'000;
      if (waited_ms >= wait_ms)
        throw Error(error.code(), error.text() + " (waited " + std::to_string(waited_ms) + " ms)",
                    EBUSY);
      left_ms = wait_ms - waited_ms;
    }
    slot.wait_for_change(seen, static_cast<uint32_t>(std::min<uint64_t>(left_ms, kLookMs)));
  }
}

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_RETRY_WHILE_BUSY_H_
