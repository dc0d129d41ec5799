// SPDX-License-Identifier: Apache-2.0
// Where an element of an image has its channels (abi::ImageChannels), by which kernels read.
// Calculated once, when the image is made.
#ifndef CONCLAVE_IMAGE_CHANNELS_H_
#define CONCLAVE_IMAGE_CHANNELS_H_

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "conclave/kernel_abi.h"

namespace conclave {
namespace image_channels {

// What is not stored reads as 0 or 1.
inline constexpr uint32_t kReads0 = 4, kReads1 = 5;

// The stored channel that r, g, b and a are, numbered as they lie in memory, packed ones from the
// highest bits on, as their names say.
constexpr std::array<uint32_t, 4> stored(cl_channel_order order) {
  switch (order) {
    case CL_A:
      return {kReads0, kReads0, kReads0, 0};
    case CL_RG:
      return {0, 1, kReads0, kReads1};
    case CL_RA:
      return {0, kReads0, kReads0, 1};
    case CL_RGB:
      return {0, 1, 2, kReads1};
    case CL_RGBA:
    case CL_sRGBA:
      return {0, 1, 2, 3};
    case CL_BGRA:
      return {2, 1, 0, 3};
    case CL_ARGB:
      return {1, 2, 3, 0};
    case CL_INTENSITY:
      return {0, 0, 0, 0};
    case CL_LUMINANCE:
      return {0, 0, 0, kReads1};
    default:  // CL_R, CL_DEPTH
      return {0, kReads0, kReads0, kReads1};
  }
}

constexpr bool is_signed(cl_channel_type type) {
  return type == CL_SNORM_INT8 || type == CL_SNORM_INT16 || type == CL_SIGNED_INT8 ||
         type == CL_SIGNED_INT16;
}

// The place of a channel narrower than 32 bits among the bits of an element.
struct Field {
  uint32_t position, bits;
};

constexpr Field field(cl_channel_type type, uint32_t stored) {
  switch (type) {
    case CL_UNORM_SHORT_565:
      return stored == 0 ? Field{11, 5} : stored == 1 ? Field{5, 6} : Field{0, 5};
    case CL_UNORM_SHORT_555:
      return {5 * (2 - stored), 5};
    case CL_UNORM_INT_101010:
      return {10 * (2 - stored), 10};
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
      return {8 * stored, 8};
    default:
      return {16 * stored, 16};
  }
}

}  // namespace image_channels

constexpr abi::ImageChannels describe_channels(cl_channel_order order, cl_channel_type type) {
  using namespace image_channels;
  const std::array<uint32_t, 4> stored_channels = stored(order);
  abi::ImageChannels channels{};
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t channel = stored_channels[i];
    channels.unit[i] = 1;
    if (channel >= kReads0) continue;
    channels.in_word_0[i] = channel == 0 ? ~0U : 0;
    channels.in_word_1[i] = channel == 1 ? ~0U : 0;
    channels.in_own_word[i] = channel == i && i > 1 ? ~0U : 0;
    const Field place = field(type, channel);
    const uint32_t mask = (1U << place.bits) - 1;
    channels.shift[i] = place.position % 32;
    channels.low_mask[i] = place.position < 32 ? mask : 0;
    channels.high_mask[i] = place.position < 32 ? 0 : mask;
    channels.sign[i] = is_signed(type) ? (mask + 1) >> 1 : 0;
    channels.unit[i] = 1.0F / static_cast<float>(mask >> (is_signed(type) ? 1 : 0));
  }
  channels.alpha_is_one = stored_channels[3] == kReads1 ? ~0U : 0;
  return channels;
}

}  // namespace conclave

#endif  // CONCLAVE_IMAGE_CHANNELS_H_
