// SPDX-License-Identifier: Apache-2.0
// Locks that are taken over from their holders.
#include "platform/share/segment_lock.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test_segment.h"

namespace conclave::share {
namespace {

class SegmentLockTest : public testing::Test {
 protected:
  Atomic<uint64_t>& word() const { return segment_.layout().header().heap_lock; }

  // Seconds that it takes to get the lock.
  double seconds_to_lock(bool expect_taken_over) const {
    const auto start = std::chrono::steady_clock::now();
    SegmentLock lock(word());
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(expect_taken_over, lock.taken_over());
    EXPECT_TRUE(lock.held());
    EXPECT_TRUE(lock.release());
    return waited.count();
  }

  TestSegment segment_;
};

TEST_F(SegmentLockTest, AFreeLockIsTakenAtOnce) {
  EXPECT_LT(seconds_to_lock(false), 0.5);
  EXPECT_LT(seconds_to_lock(false), 0.5);
}

TEST_F(SegmentLockTest, OneThreadAtATime) {
  int shared = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        SegmentLock lock(word());
        EXPECT_FALSE(lock.taken_over());
        ++shared;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(20'000, shared);
}

TEST_F(SegmentLockTest, IsTakenFromTheDead) {
  const pid_t holder = start_child([&] {
    SegmentLock lock(word());
    raise(SIGKILL);
  });
  EXPECT_EQ(128 + SIGKILL, wait_for(holder));
  EXPECT_LT(seconds_to_lock(true), 0.5);
}

TEST_F(SegmentLockTest, IsTakenFromTheStoppedWhoNotice) {
  const pid_t holder = start_child([&] {
    SegmentLock lock(word());
    raise(SIGSTOP);
    EXPECT_THROW(lock.check(), Overtaken);
    EXPECT_FALSE(lock.release());
  });
  int status;
  waitpid(holder, &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_LT(seconds_to_lock(true), 0.5);
  kill(holder, SIGCONT);
  EXPECT_EQ(0, wait_for(holder));
}

// One that is well is left in peace for longer, but not for ever.
TEST_F(SegmentLockTest, IsTakenFromOneThatKeepsIt) {
  const pid_t holder = start_child([&] {
    SegmentLock lock(word());
    while (lock.held()) usleep(1000);
    EXPECT_FALSE(lock.release());
  });
  while (!LockWord::of(word().load()).holder) usleep(100);
  EXPECT_GT(seconds_to_lock(true), 1.5);
  EXPECT_EQ(0, wait_for(holder));
}

}  // namespace
}  // namespace conclave::share
