// SPDX-License-Identifier: Apache-2.0
// Reads an element of an image, whatever its format is: element `x` of a row, as float4, int4 or
// uint4.
#ifndef CONCLAVE_BUILTINS_IMAGE_LOAD_H_
#define CONCLAVE_BUILTINS_IMAGE_LOAD_H_

#include "half.h"
#include "image_format.h"
#include "srgb.h"

// One case for each size: neighbouring elements have a known distance then.
HELPER uint4 load_words(const global uchar* row, int x, uint size) {
  switch (size) {
    case 1:
      return (uint4)(row[x], 0, 0, 0);
    case 2:
      return (uint4)(AT(const ushort_anywhere, row)[x], 0, 0, 0);
    case 4:
      return (uint4)(AT(const uint_anywhere, row)[x], 0, 0, 0);
    case 8:
      return (uint4)(AT(const uint2_anywhere, row)[x], 0, 0);
    default:
      return AT(const uint4_anywhere, row)[x];
  }
}

// The channels of 32 bits, those that are absent as 0.
HELPER uint4 channels_of(Image image, uint4 words) {
  return (uint4)(words.x & image->in_word_0[0],
                 (words.x & image->in_word_0[1]) | (words.y & image->in_word_1[1]),
                 (words.x & image->in_word_0[2]) | (words.z & image->in_own_word[2]),
                 (words.x & image->in_word_0[3]) | (words.y & image->in_word_1[3]) |
                     (words.w & image->in_own_word[3]));
}

// The fields of narrower ones. The first two stored channels, and so r and g, are never in the second
// word.
HELPER uint low_field(Image image, uint4 words, int channel) {
  return (words.x >> (image->shift[channel] & 31)) & image->low_mask[channel];
}
HELPER uint field(Image image, uint4 words, int channel) {
  return low_field(image, words, channel) |
         ((words.y >> (image->shift[channel] & 31)) & image->high_mask[channel]);
}
HELPER uint4 fields_of(Image image, uint4 words) {
  return (uint4)(low_field(image, words, 0), low_field(image, words, 1), field(image, words, 2),
                 field(image, words, 3));
}
HELPER int4 extend_sign(Image image, uint4 fields) {
  const uint4 sign = (uint4)(image->sign[0], image->sign[1], image->sign[2], image->sign[3]);
  return as_int4((fields ^ sign) - sign);
}

HELPER uint4 add_alpha(Image image, uint4 color, uint one) {
  color.w |= one & image->alpha_is_one;
  return color;
}

// Returns value / (2^n - 1), correctly rounded, where `unit` is 1 / (2^n - 1): that is (1 + unit) / 2^n.
// The product with `unit` alone has errors that become whole numbers where a program multiplies a
// coordinate by 65535 that it has read from an image. Of eight bits without sign, the most frequent
// ones, it is within 1.25 ulp and never below, so 255 times it is whole, or becomes so when cut off.
HELPER float4 normalize_fields(uint type, int4 values, float4 unit) {
#pragma OPENCL FP_CONTRACT ON
  if (type == CLK_UNORM_INT8) return __builtin_convertvector(values, float4) * unit;
  const float4 power = as_float4(as_uint4(unit) & 0x7f800000);
  const float4 part = __builtin_convertvector(values, float4) * power;
  return part + part * unit;
}

// Converts channels narrower than 32 bits.
HELPER float4 convert_fields(Image image, uint4 words) {
  const uint type = image->channel_type;
  const uint4 fields = fields_of(image, words);
  if (type == CLK_HALF_FLOAT) return from_half(__builtin_convertvector(fields, ushort4));
  if (image->channel_order == CLK_sRGBA) return linear_of_srgb(as_int4(fields));
  const float4 unit = (float4)(image->unit[0], image->unit[1], image->unit[2], image->unit[3]);
  if (!is_signed(type)) return normalize_fields(type, as_int4(fields), unit);
  const float4 values = normalize_fields(type, extend_sign(image, fields), unit);
  return values > -1.0f ? values : -1.0f;
}

HELPER float4 load_float(Image image, const global uchar* row, int x) {
  const uint4 words = load_words(row, x, image->element_size);
  uint4 color;
  if (image->channel_type == CLK_FLOAT)
    color = channels_of(image, words);
  else
    color = as_uint4(convert_fields(image, words));
  return as_float4(add_alpha(image, color, as_uint(1.0f)));
}

HELPER uint4 load_integer(Image image, const global uchar* row, int x) {
  const uint4 words = load_words(row, x, image->element_size);
  uint4 color;
  if (has_words(image->channel_type))
    color = channels_of(image, words);
  else
    color = as_uint4(extend_sign(image, fields_of(image, words)));
  return add_alpha(image, color, 1);
}

#define LOAD_AS(R, LOAD)                                           \
  HELPER R load_##R(Image image, const global uchar* row, int x) { \
    return as_##R(LOAD(image, row, x));                            \
  }
LOAD_AS(float4, load_float)
LOAD_AS(int4, load_integer)
LOAD_AS(uint4, load_integer)

// The forms in which builtins return a color.
#define WHOLE(color) (color)
#define RED(color) (color).x
#define HALVES(color) __builtin_convertvector(color, half4)

#endif  // CONCLAVE_BUILTINS_IMAGE_LOAD_H_
