// SPDX-License-Identifier: Apache-2.0
// Checked arithmetic against the same in 128 bits.
#include "platform/base/checked_size.h"

#include <gtest/gtest.h>

#include <random>

namespace conclave {
namespace {

using Wide = unsigned __int128;

TEST(CheckedSize, KnowsWhatDoesNotFit) {
  std::mt19937_64 generator(1);
  const auto any = [&] { return static_cast<size_t>(generator() >> generator() % 64); };
  int fitting = 0;
  for (int i = 0; i < 100'000; ++i) {
    const size_t a = any(), b = any(), c = any();
    const Wide product = Wide{a} * b, sum = product + c;
    const CheckedSize checked = CheckedSize(a) * b + c;
    ASSERT_EQ(checked.fits(), sum <= SIZE_MAX) << a << " * " << b << " + " << c;
    ASSERT_EQ(checked.saturated(), sum <= SIZE_MAX ? static_cast<size_t>(sum) : SIZE_MAX);
    ASSERT_EQ(checked.at_most(c), sum <= c);
    const size_t alignment = size_t{1} << generator() % 12;
    const Wide up = (Wide{a} + alignment - 1) / alignment * alignment;
    const CheckedSize aligned = CheckedSize(a).aligned(alignment);
    ASSERT_EQ(aligned.saturated(), up <= SIZE_MAX ? static_cast<size_t>(up) : SIZE_MAX);
    fitting += checked.fits();
  }
  EXPECT_GT(fitting, 1000);
  EXPECT_LT(fitting, 99'000);
}

TEST(CheckedSize, WhatDoesNotFitStaysSo) {
  const CheckedSize wrapped = CheckedSize(SIZE_MAX) + 1;
  EXPECT_FALSE((wrapped + 0).fits());
  EXPECT_FALSE((wrapped * 0).fits());
  EXPECT_FALSE((CheckedSize(0) * wrapped).fits());
  EXPECT_FALSE(wrapped.aligned(8).fits());
  EXPECT_THROW(wrapped.value_or(CL_INVALID_VALUE, "too large"), Error);
}

}  // namespace
}  // namespace conclave
