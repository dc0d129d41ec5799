// SPDX-License-Identifier: Apache-2.0
#include "platform/base/process_fence.h"

#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace conclave {
namespace {

// No processor delays a store for so long.
constexpr useconds_t kLongestDelayUs = 100;

std::atomic<bool> is_registered{false};

bool make_all_pass(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

void register_process_fence() {
  is_registered.store(make_all_pass(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
}

bool register_process_fence_at_once() {
  if (__libc_single_threaded) register_process_fence();
  return is_registered.load();
}

void process_fence() {
  if (!is_registered.load() || !make_all_pass(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    usleep(kLongestDelayUs);
}

}  // namespace conclave
