// SPDX-License-Identifier: Apache-2.0
#include "platform/base/wake_up_claim.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace conclave {
namespace {

constexpr uint64_t kShortSliceNs = 100'000;  // the shortest that Linux allows

// As in sched_setattr(2); Debian 12's headers lack it.
struct Attributes {
  uint32_t size = 48, policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0, deadline = 0, period = 0;
};

}  // namespace

void WakeUpClaim::set(bool prompt) {
  Attributes attributes;
  prompt_ = prompt;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  const uint32_t own = batch_ ? SCHED_BATCH : SCHED_OTHER;
  if (attributes.policy != own) return;
  attributes.policy = prompt ? SCHED_OTHER : SCHED_BATCH;
  attributes.runtime = prompt ? kShortSliceNs : 0;
  batch_ = syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 && !prompt;
}

}  // namespace conclave
