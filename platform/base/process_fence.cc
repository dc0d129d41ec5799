// SPDX-License-Identifier: Apache-2.0
#include "platform/base/process_fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace conclave {
namespace {

// No processor delays a store for so long.
constexpr useconds_t kLongestDelayUs = 100;

bool make_all_pass(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

void process_fence() {
  static const bool is_registered = make_all_pass(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  if (!is_registered || !make_all_pass(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) usleep(kLongestDelayUs);
}

}  // namespace conclave
