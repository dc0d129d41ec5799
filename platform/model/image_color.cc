// SPDX-License-Identifier: Apache-2.0
#include "platform/model/image_color.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace conclave {
namespace {

using Element = std::array<std::byte, 16>;

// Which of red, green, blue and alpha an element holds, in the order of its channels.
std::array<size_t, 4> stored_components(cl_channel_order order) {
  switch (order) {
    case CL_A:
      return {3};
    case CL_RA:
      return {0, 3};
    case CL_ARGB:
      return {3, 0, 1, 2};
    case CL_BGRA:
      return {2, 1, 0, 3};
    default:  // also CL_INTENSITY, CL_LUMINANCE and CL_DEPTH, which are the first component
      return {0, 1, 2, 3};
  }
}

// The nearest integer to value * scale (ties: the even one), for values from `low` to 1; 0 for NaN.
int32_t normalized(float value, float low, float scale) {
  if (std::isnan(value)) return 0;
  return static_cast<int32_t>(std::nearbyint(std::clamp(value, low, 1.0f) * scale));
}
uint32_t unorm(float value, uint32_t largest) {
  return static_cast<uint32_t>(normalized(value, 0, static_cast<float>(largest)));
}

float srgb_encoded(float linear) {
  if (std::isnan(linear)) return 0;
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

// Rounds to the nearest half (ties: the even one); beyond the largest one: infinity.
uint16_t half_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  constexpr uint32_t kInfinity = 0x7f800000, kSmallestNormal = 0x38800000, kOverflow = 0x477ff000;
  if (magnitude > kInfinity)  // a NaN stays one, quiet
    return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= kOverflow) return sign | 0x7c00;
  if (magnitude < kSmallestNormal) {
    // Subnormal halves are multiples of 2^-24.
    return static_cast<uint16_t>(
        sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(std::fabs(value), 24))));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

template <class T>
void put(Element& element, size_t channel, T value) {
  std::memcpy(element.data() + channel * sizeof(T), &value, sizeof value);
}

void put_real(Element& element, size_t channel, cl_channel_type type, float value) {
  switch (type) {
    case CL_UNORM_INT8:
      return put(element, channel, static_cast<uint8_t>(unorm(value, 255)));
    case CL_UNORM_INT16:
      return put(element, channel, static_cast<uint16_t>(unorm(value, 65535)));
    case CL_SNORM_INT8:
      return put(element, channel, static_cast<int8_t>(normalized(value, -1, 127)));
    case CL_SNORM_INT16:
      return put(element, channel, static_cast<int16_t>(normalized(value, -1, 32767)));
    case CL_HALF_FLOAT:
      return put(element, channel, half_bits(value));
    default:
      return put(element, channel, value);
  }
}

template <class T, class From>
void put_saturated(Element& element, size_t channel, From value) {
  using Limits = std::numeric_limits<T>;
  put(element, channel,
      static_cast<T>(std::clamp<From>(value, From{Limits::min()}, From{Limits::max()})));
}

void put_signed(Element& element, size_t channel, cl_channel_type type, int32_t value) {
  if (type == CL_SIGNED_INT8) return put_saturated<int8_t>(element, channel, value);
  if (type == CL_SIGNED_INT16) return put_saturated<int16_t>(element, channel, value);
  put(element, channel, value);
}

void put_unsigned(Element& element, size_t channel, cl_channel_type type, uint32_t value) {
  if (type == CL_UNSIGNED_INT8) return put_saturated<uint8_t>(element, channel, value);
  if (type == CL_UNSIGNED_INT16) return put_saturated<uint16_t>(element, channel, value);
  put(element, channel, value);
}

// Red, the first channel, is in the most significant bits.
Element packed_element(cl_channel_type type, const std::array<float, 3>& color) {
  Element element{};
  switch (type) {
    case CL_UNORM_SHORT_565:
      put(element, 0,
          static_cast<uint16_t>(unorm(color[0], 31) << 11 | unorm(color[1], 63) << 5 |
                                unorm(color[2], 31)));
      break;
    case CL_UNORM_SHORT_555:
      put(element, 0,
          static_cast<uint16_t>(unorm(color[0], 31) << 10 | unorm(color[1], 31) << 5 |
                                unorm(color[2], 31)));
      break;
    default:  // CL_UNORM_INT_101010
      put(element, 0,
          unorm(color[0], 1023) << 20 | unorm(color[1], 1023) << 10 | unorm(color[2], 1023));
  }
  return element;
}

}  // namespace

std::array<std::byte, 16> image_element(const ImageFormat& format, const void* color) {
  std::array<uint32_t, 4> words{};  // whatever the components are, they are four bytes each
  std::memcpy(words.data(), color, (format.order == CL_DEPTH ? 1 : 4) * sizeof(uint32_t));
  const auto real = [&](size_t component) {
    const auto value = std::bit_cast<float>(words[component]);
    return format.order == CL_sRGBA && component != 3 ? srgb_encoded(value) : value;
  };
  if (format.order == CL_RGB) return packed_element(format.data_type, {real(0), real(1), real(2)});

  const std::array<size_t, 4> components = stored_components(format.order);
  Element element{};
  for (size_t channel = 0; channel < format.channels; ++channel) {
    const size_t from = components[channel];
    switch (format.data_type) {
      case CL_SIGNED_INT8:
      case CL_SIGNED_INT16:
      case CL_SIGNED_INT32:
        put_signed(element, channel, format.data_type, static_cast<int32_t>(words[from]));
        break;
      case CL_UNSIGNED_INT8:
      case CL_UNSIGNED_INT16:
      case CL_UNSIGNED_INT32:
        put_unsigned(element, channel, format.data_type, words[from]);
        break;
      default:
        put_real(element, channel, format.data_type, real(from));
    }
  }
  return element;
}

}  // namespace conclave
