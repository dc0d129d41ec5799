// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "platform/model/kernel.h"

namespace conclave {
namespace {

TEST(KernelTiming, AStalledSampleSpoilsLittle) {
  KernelTiming timing;
  for (int i = 0; i < 20; ++i) timing.add(10);
  timing.add(10'000);
  EXPECT_LT(timing.ns_per_item(), 50);
}

TEST(KernelTiming, AFirstSampleThatStalledIsSoonForgotten) {
  KernelTiming timing;
  timing.add(10'000);
  for (int i = 0; i < 12; ++i) timing.add(10);
  EXPECT_LT(timing.ns_per_item(), 40);
  for (int i = 0; i < 12; ++i) timing.add(10);
  EXPECT_NEAR(10, timing.ns_per_item(), 1);
}

TEST(KernelTiming, FollowsArgumentsThatMakeTheKernelLonger) {
  KernelTiming timing;
  for (int i = 0; i < 20; ++i) timing.add(1);
  for (int i = 0; i < 5; ++i) timing.add(200);
  EXPECT_GT(timing.ns_per_item(), 100);
}

TEST(KernelTiming, IsTheMeanOfWhatVaries) {
  KernelTiming timing;
  float sum = 0;
  for (int i = 0; i < 1000; ++i) {
    timing.add(i % 2 ? 8 : 12);
    sum += timing.ns_per_item();
  }
  EXPECT_NEAR(10, sum / 1000, 1);
}

}  // namespace
}  // namespace conclave
