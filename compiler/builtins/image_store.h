// SPDX-License-Identifier: Apache-2.0
// Writes an element of an image, whatever its format is: element `x` of a row, from float4, int4 or
// uint4.
#ifndef CONCLAVE_BUILTINS_IMAGE_STORE_H_
#define CONCLAVE_BUILTINS_IMAGE_STORE_H_

#include "half.h"
#include "image_format.h"

HELPER void store_words(global uchar* row, int x, uint size, uint4 words) {
  switch (size) {
    case 1:
      row[x] = words.x;
      break;
    case 2:
      AT(ushort_anywhere, row)[x] = words.x;
      break;
    case 4:
      AT(uint_anywhere, row)[x] = words.x;
      break;
    case 8:
      AT(uint2_anywhere, row)[x] = words.xy;
      break;
    default:
      AT(uint4_anywhere, row)[x] = words;
  }
}

// Intensity and luminance are taken from red.
HELPER uint written_order(uint order) {
  return order == CLK_INTENSITY || order == CLK_LUMINANCE ? CLK_R : order;
}

// Elements of channels of 32 bits.
HELPER uint4 words_of(uint4 color, uint order) {
  const bool has_red = stored_channel(order, 0) == 0, has_green = stored_channel(order, 1) == 1;
  return (uint4)(has_red ? color.x : color.w, has_green ? color.y : color.w, color.z, color.w);
}

// The lowest bits of each number, each in its field.
HELPER uint4 pack(uint4 numbers, uint type, uint order) {
  uint2 words = 0;
#define PACK(channel, member)                                                       \
  {                                                                                 \
    const Field field = field_of(type, stored_channel(order, channel));             \
    const uint bits = (numbers.member & field.mask) << (field.position & 31);       \
    words.x |= bits & mask_if(field.position < 32);                                 \
    words.y |= bits & mask_if(field.position >= 32);                                \
  }
  PACK(0, x)
  PACK(1, y)
  PACK(2, z)
  PACK(3, w)
#undef PACK
  return (uint4)(words, 0, 0);
}

// As convert_*_sat_rte: adding and taking away 1.5 * 2^23 leaves a whole number, the nearest one; of
// numbers that are too large for that, one which is too large as well.
HELPER int4 round_to_int(float4 x) {
  return as_int4(x + 0x1.8p23f) - as_int4((float4)0x1.8p23f);
}
HELPER uint4 quantize(float4 color, uint type, uint order) {
  const float4 high = largest_of_colors(type, order);
  const float4 low = is_signed(type) ? -high - 1.0f : 0.0f;
  float4 x = color * high;
  if (is_signed(type)) x = x == x ? x : 0.0f;
  x = x > low ? x : low;  // NaN: low
  return as_uint4(__builtin_elementwise_min(round_to_int(x), __builtin_convertvector(high, int4)));
}

HELPER void store(Image image, global uchar* row, int x, float4 color) {
  const uint type = image->channel_type, order = written_order(image->channel_order);
  uint4 words;
  if (type == CLK_FLOAT)
    words = words_of(as_uint4(color), order);
  else if (type == CLK_HALF_FLOAT)
    words = pack(__builtin_convertvector(to_half_rte(color), uint4), type, order);
  else
    words = pack(quantize(color, type, order), type, order);
  store_words(row, x, image->element_size, words);
}

// `largest` of 8 or 16 bits.
HELPER uint4 saturate(int4 numbers, int largest) {
  return as_uint4(__builtin_elementwise_min(
      __builtin_elementwise_max(numbers, (int4)(-largest - 1)), (int4)largest));
}
HELPER uint4 saturate(uint4 numbers, uint largest) {
  return __builtin_elementwise_min(numbers, (uint4)largest);
}

#define STORE_INTEGER(T, SHORT, LARGEST_SHORT, LARGEST_CHAR)                                    \
  HELPER void store(Image image, global uchar* row, int x, T##4 color) {                        \
    const uint type = image->channel_type, order = image->channel_order;                  \
    uint4 words;                                                                                \
    if (has_words(type)) {                                                                      \
      words = words_of(as_uint4(color), order);                                                 \
    } else {                                                                                    \
      const T largest = type == SHORT ? LARGEST_SHORT : LARGEST_CHAR;                           \
      words = pack(saturate(color, largest), type, order);                                      \
    }                                                                                           \
    store_words(row, x, image->element_size, words);                                         \
  }
STORE_INTEGER(int, CLK_SIGNED_INT16, SHRT_MAX, SCHAR_MAX)
STORE_INTEGER(uint, CLK_UNSIGNED_INT16, USHRT_MAX, UCHAR_MAX)

#endif  // CONCLAVE_BUILTINS_IMAGE_STORE_H_
