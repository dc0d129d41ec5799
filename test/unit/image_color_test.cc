// SPDX-License-Identifier: Apache-2.0
// Colours as image elements: all values of a channel, which must come back as themselves.
#include "platform/model/image_color.h"

#include <CL/cl_half.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "platform/model/image_format.h"

namespace conclave {
namespace {

// The first channel of an element filled with `value` in all components.
template <class Channel, class Component>
Channel filled(cl_channel_order order, cl_channel_type type, Component value) {
  const Component color[4] = {value, value, value, value};
  const auto element =
      image_element(*find_image_format({order, type}, CL_MEM_OBJECT_IMAGE2D), color);
  Channel channel;
  std::memcpy(&channel, element.data(), sizeof channel);
  return channel;
}

TEST(ImageColor, NormalizedValuesComeBack) {
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(i, filled<uint8_t>(CL_R, CL_UNORM_INT8, static_cast<float>(i) / 255));
  for (int i = 0; i < 65536; ++i)
    ASSERT_EQ(i, filled<uint16_t>(CL_R, CL_UNORM_INT16, static_cast<float>(i) / 65535));
  for (int i = -127; i < 128; ++i)
    EXPECT_EQ(i, filled<int8_t>(CL_R, CL_SNORM_INT8, static_cast<float>(i) / 127));
  for (int i = -32767; i < 32768; ++i)
    ASSERT_EQ(i, filled<int16_t>(CL_R, CL_SNORM_INT16, static_cast<float>(i) / 32767));
}

TEST(ImageColor, HalvesAreRoundedToTheNearest) {
  // All halves, the values half-way to the next one, and those on either side of it.
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = cl_half_to_float(static_cast<cl_half>(bits));
    const float high = bits == 0x7bff ? 65536.0f : cl_half_to_float(static_cast<cl_half>(bits + 1));
    const float middle = (low + high) / 2;
    const auto half = [](float value) { return filled<uint16_t>(CL_R, CL_HALF_FLOAT, value); };
    ASSERT_EQ(bits, half(low));
    ASSERT_EQ(bits | 0x8000, half(-low));
    ASSERT_EQ(bits, half(std::nextafter(middle, 0.0f)));
    ASSERT_EQ(bits + (bits & 1), half(middle)) << middle;
    ASSERT_EQ(bits + 1, half(std::nextafter(middle, INFINITY)));
  }
  const auto half = [](float value) { return filled<uint16_t>(CL_R, CL_HALF_FLOAT, value); };
  EXPECT_EQ(0x7c00, half(INFINITY));
  EXPECT_EQ(0xfc00, half(-INFINITY));
  EXPECT_EQ(0x7c00, half(std::numeric_limits<float>::max()));
  EXPECT_EQ(0, half(std::numeric_limits<float>::denorm_min()));
  EXPECT_LT(0x7c00, half(NAN) & 0x7fff);
}

TEST(ImageColor, WhatIsNoNumberIsZero) {
  EXPECT_EQ(0, filled<uint8_t>(CL_R, CL_UNORM_INT8, NAN));
  EXPECT_EQ(0, filled<int16_t>(CL_R, CL_SNORM_INT16, NAN));
  EXPECT_EQ(0, filled<uint8_t>(CL_sRGBA, CL_UNORM_INT8, NAN));
}

// Decoded with the definition of sRGB, every value of a channel comes back.
TEST(ImageColor, SrgbValuesComeBack) {
  for (int i = 0; i < 256; ++i) {
    const double c = i / 255.0;
    const double linear = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    EXPECT_EQ(i, filled<uint8_t>(CL_sRGBA, CL_UNORM_INT8, static_cast<float>(linear)));
  }
}

TEST(ImageColor, PackedChannelsKeepApart) {
  for (uint32_t i = 0; i < 64; ++i) {
    const float color[4] = {0, static_cast<float>(i) / 63, 0, 0};
    const auto element = image_element(
        *find_image_format({CL_RGB, CL_UNORM_SHORT_565}, CL_MEM_OBJECT_IMAGE2D), color);
    uint16_t packed;
    std::memcpy(&packed, element.data(), sizeof packed);
    EXPECT_EQ(i << 5, packed);
  }
}

TEST(ImageColor, IntegersSaturate) {
  EXPECT_EQ(127, filled<int8_t>(CL_R, CL_SIGNED_INT8, cl_int{128}));
  EXPECT_EQ(-128, filled<int8_t>(CL_R, CL_SIGNED_INT8, cl_int{-129}));
  EXPECT_EQ(-32768, filled<int16_t>(CL_R, CL_SIGNED_INT16, CL_INT_MIN));
  EXPECT_EQ(CL_INT_MIN, filled<int32_t>(CL_R, CL_SIGNED_INT32, CL_INT_MIN));
  EXPECT_EQ(255, filled<uint8_t>(CL_R, CL_UNSIGNED_INT8, cl_uint{256}));
  EXPECT_EQ(65535, filled<uint16_t>(CL_R, CL_UNSIGNED_INT16, cl_uint{0x80000000}));
  EXPECT_EQ(CL_UINT_MAX, filled<uint32_t>(CL_R, CL_UNSIGNED_INT32, CL_UINT_MAX));
}

}  // namespace
}  // namespace conclave
