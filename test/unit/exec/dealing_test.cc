// SPDX-License-Identifier: Apache-2.0
// How work-groups are dealt out, and how long workers wait for more.
#include "platform/exec/untaken_parts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

#include "platform/exec/launch_gaps.h"
#include "platform/model/dealing.h"

namespace conclave {
namespace {

using Chunk = UntakenParts::Chunk;

TEST(UntakenParts, ASingleSpanKeepsTheOrder) {
  UntakenParts parts;
  parts.set(10, 1, 1);
  EXPECT_FALSE(parts.empty());
  for (uint64_t next : {0u, 4u}) EXPECT_EQ(next, parts.take(7, 4).first);
  const Chunk last = parts.take(0, 4);
  EXPECT_EQ(8u, last.first);
  EXPECT_EQ(2u, last.count);
  EXPECT_TRUE(parts.empty());
  EXPECT_EQ(0u, parts.take(0, 4).count);
  parts.put_back();
  EXPECT_EQ(10u, parts.take_rest());
}

TEST(UntakenParts, EachComputeUnitBeginsWithItsOwnSpan) {
  UntakenParts parts;
  parts.set(100, 1, 4);
  for (uint32_t unit : {3u, 0u, 2u, 1u}) EXPECT_EQ(25u * unit, parts.take(unit, 5).first);
  EXPECT_EQ(5u, parts.take(4, 5).first) << "there are no more than 4 spans";
  EXPECT_EQ(100u - 25, parts.take_rest());
  EXPECT_TRUE(parts.empty());
}

TEST(UntakenParts, SpansBeginAtWholePackets) {
  UntakenParts parts;
  parts.set(100, 16, 4);  // 6 packets and 4 parts
  for (uint32_t unit : {0u, 1u, 2u, 3u}) EXPECT_EQ(0u, parts.take(unit, 16).first % 16);
  UntakenParts few;
  few.set(20, 16, 4);
  EXPECT_EQ(0u, few.take(3, 16).first) << "one packet: nothing to divide";
}

// With more compute units than spans, and one that takes all that others leave.
TEST(UntakenParts, ThreadsTakeEachPartOnce) {
  for (const uint64_t total : {2u, 63u, 64u, 1'000u, 100'003u}) {
    UntakenParts parts;
    parts.set(total, 1, 64);
    std::vector<std::atomic<int>> taken(total);
    std::vector<std::thread> threads;
    for (uint32_t unit : {0u, 1u, 63u, 70u})
      threads.emplace_back([&, unit] {
        for (Chunk chunk = parts.take(unit, unit + 1); chunk.count;
             chunk = parts.take(unit, unit + 1))
          for (uint64_t i = 0; i < chunk.count; ++i) ++taken[chunk.first + i];
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(parts.empty());
    for (uint64_t i = 0; i < total; ++i) ASSERT_EQ(1, taken[i]) << i << " of " << total;
  }
}

TEST(Dealing, TakesTheWayThatWasFaster) {
  for (const Dealing::Way faster : {Dealing::kSpans, Dealing::kFront}) {
    Dealing dealing;
    int measured[2] = {};
    for (int launch = 0; launch < 8; ++launch) {
      const Dealing::Turn turn = dealing.next();
      ASSERT_TRUE(turn.measured);
      ++measured[turn.way];
      // Every other launch is disturbed.
      dealing.took(turn.way, (turn.way == faster ? 10.0f : 12.0f) * (launch % 2 ? 1.0f : 5.0f));
    }
    EXPECT_EQ(4, measured[0]);
    EXPECT_EQ(4, measured[1]);
    EXPECT_EQ(faster, dealing.next().way);
    EXPECT_FALSE(dealing.next().measured);
  }
}

// It may touch memory first, and from the front all would clear the same huge page.
TEST(Dealing, TheFirstLaunchTakesSpans) {
  EXPECT_EQ(Dealing::kSpans, Dealing().next().way);
}

// A program's first launches wait for memory, and better code comes, so what they tell may be wrong.
TEST(Dealing, LooksAgainSoonAndThenSeldom) {
  Dealing dealing;
  Dealing::Way faster = Dealing::kFront, other = Dealing::kSpans;
  int launch = 0;
  for (const int begin : {0, 32, 128, 512, 1024, 2048}) {
    for (; launch < begin; ++launch) ASSERT_EQ(other, dealing.next().way) << launch;
    for (; launch < begin + 8; ++launch) {
      const Dealing::Turn turn = dealing.next();
      ASSERT_TRUE(turn.measured) << launch;
      dealing.took(turn.way, turn.way == faster ? 3 : 4);
    }
    std::swap(faster, other);
  }
}

// Launches that begin so many ns after the end of the one before, and take 100 us.
uint64_t launch_after(LaunchGaps& gaps, uint64_t now, std::initializer_list<uint64_t> pauses) {
  for (const uint64_t pause : pauses) {
    gaps.begin(now += pause);
    gaps.end(now += 100'000);
  }
  return now;
}

TEST(LaunchGaps, WorkersStayAwakeForAsLongAsTheLastGapsTook) {
  LaunchGaps gaps;
  uint64_t now = launch_after(gaps, 1'000'000'000, {0});
  EXPECT_EQ(0u, gaps.awake_until(now)) << "nothing is known yet";
  now = launch_after(gaps, now, {10'000});
  EXPECT_EQ(0u, gaps.awake_until(now)) << "one short gap may be chance";
  now = launch_after(gaps, now, {5'000});
  EXPECT_EQ(now + 20'000, gaps.awake_until(now));
  EXPECT_EQ(now + 20'000, gaps.awake_until(now - 50'000)) << "it was idle before the launch ended";
  now = launch_after(gaps, now, {LaunchGaps::kLongestNs});
  EXPECT_EQ(now + LaunchGaps::kLongestNs, gaps.awake_until(now));
  now = launch_after(gaps, now, {LaunchGaps::kLongestNs + 1});
  EXPECT_EQ(0u, gaps.awake_until(now));
}

TEST(LaunchGaps, NobodyWaitsLongForTheEndOfALaunch) {
  LaunchGaps gaps;
  uint64_t now = launch_after(gaps, 1'000'000'000, {0, 5'000, 5'000});
  gaps.begin(now += 5'000);
  EXPECT_EQ(now + 1'000 + LaunchGaps::kLongestNs, gaps.awake_until(now + 1'000));
  gaps.begin(now + 2'000);  // beside it
  gaps.end(now + 3'000);
  gaps.end(now + 4'000);
  EXPECT_EQ(now + 4'000 + 10'000, gaps.awake_until(now));
}

}  // namespace
}  // namespace conclave
