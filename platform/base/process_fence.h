// SPDX-License-Identifier: Apache-2.0
// Fences of which one side costs nothing. Two threads that each store one variable and then load the
// other's need a fence in between, or both may miss the other's store. Where one of them does that often
// and the other hardly ever, the rare one makes all threads of the process pass a fence.
#ifndef CONCLAVE_PLATFORM_BASE_PROCESS_FENCE_H_
#define CONCLAVE_PLATFORM_BASE_PROCESS_FENCE_H_

#include <atomic>

namespace conclave {

// On the frequent side: keeps the compiler from exchanging the store and the load.
inline void light_fence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// On the rare side (membarrier(2)). Takes some microseconds, or 100 where the process is not registered.
void process_fence();

// Makes process_fence() fast. May take 20 ms if the process has several threads, so a thread calls it
// for which nobody waits.
void register_process_fence();

// Registers where that takes no time, that is before the process's second thread. True if the process is
// registered. A process that is killed while one of its threads registers is not dead before that thread
// is done, and so keeps its compute units for up to 20 ms.
bool register_process_fence_at_once();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_PROCESS_FENCE_H_
