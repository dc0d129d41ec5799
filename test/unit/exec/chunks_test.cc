// SPDX-License-Identifier: Apache-2.0
// How many parts a compute unit takes at a time follows the time that they take.
#include "platform/exec/chunks.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

TEST(ChunkSize, BeginsWithOneAndGoesOnAsPlanned) {
  ChunkSize chunk(/*planned=*/50, /*most=*/100, /*least=*/1, /*timed=*/false);
  EXPECT_EQ(chunk.parts(), 1u);
  EXPECT_TRUE(chunk.timed());
  chunk.took(kChunkNs / 50);
  EXPECT_EQ(chunk.parts(), 50u);
  EXPECT_FALSE(chunk.timed());
}

TEST(ChunkSize, FollowsTheTime) {
  ChunkSize chunk(8, 100, 1, true);
  chunk.took(kChunkNs / 4);
  EXPECT_EQ(chunk.parts(), 2u);
  chunk.took(kChunkNs / 4);
  EXPECT_EQ(chunk.parts(), 4u);
  chunk.took(2 * kChunkNs);
  EXPECT_EQ(chunk.parts(), 2u);
}

// Parts that are slow one by one would otherwise stay so.
TEST(ChunkSize, IsAtLeastWhatIsGoodTogether) {
  ChunkSize chunk(1, 100, 16, true);
  EXPECT_EQ(chunk.parts(), 16u);
  chunk.took(50 * kChunkNs);
  EXPECT_EQ(chunk.parts(), 16u);
}

// Every compute unit is to have some.
TEST(ChunkSize, IsAtMostWhatLeavesOthersWork) {
  ChunkSize chunk(1, 3, 16, true);
  EXPECT_EQ(chunk.parts(), 3u);
  chunk.took(1);
  EXPECT_EQ(chunk.parts(), 3u);
}

TEST(Cut, LeavesChunksForAllUsefulComputeUnits) {
  EXPECT_EQ(Cut(1024, Command::kUnknown, 4).chunk, 64u);
  // 1,024 parts of 1 us: chunks as long as is good.
  EXPECT_EQ(Cut(1024, 1'024'000, 4).chunk, kChunkNs / 1000);
  // So short that one compute unit does it all, and another that comes late still finds something.
  EXPECT_EQ(Cut(64, 1'000, 1).chunk, 32u);
  EXPECT_EQ(Cut(1, 1'000, 1).chunk, 1u);
}

}  // namespace
}  // namespace conclave
