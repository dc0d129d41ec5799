// SPDX-License-Identifier: Apache-2.0
#include "platform/base/process_fence.h"

#include <gtest/gtest.h>
#include <sys/single_threaded.h>

#include <atomic>
#include <thread>

#include "platform/base/background_thread.h"

namespace conclave {
namespace {

// Both threads store and then look at what the other stores: one of them at least must see it.
TEST(ProcessFence, NotBothMissTheOthersStore) {
  register_process_fence();
  constexpr int kRounds = 20'000;
  std::atomic<int> light{0}, heavy{0}, begun{0}, ended{0};
  int seen_by_light = 0, seen_by_heavy = 0;
  std::thread frequent([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (begun.load(std::memory_order_acquire) < round) {
      }
      light.store(round, std::memory_order_relaxed);
      light_fence();
      seen_by_light = heavy.load(std::memory_order_relaxed);
      ended.store(round, std::memory_order_release);
    }
  });
  int missed = 0;
  for (int round = 1; round <= kRounds; ++round) {
    begun.store(round, std::memory_order_release);
    heavy.store(round, std::memory_order_relaxed);
    process_fence();
    seen_by_heavy = light.load(std::memory_order_relaxed);
    while (ended.load(std::memory_order_acquire) < round) {
    }
    missed += seen_by_light < round && seen_by_heavy < round;
  }
  frequent.join();
  EXPECT_EQ(missed, 0);
}

struct Nothing {
  void work() {}
};

TEST(ProcessFence, IsRegisteredBeforeTheFirstThread) {
  if (!__libc_single_threaded) GTEST_SKIP() << "the process has had a second thread";
  static Nothing nothing;
  start_background_thread<&Nothing::work>("nothing", &nothing);
  EXPECT_TRUE(register_process_fence_at_once());
}

}  // namespace
}  // namespace conclave
