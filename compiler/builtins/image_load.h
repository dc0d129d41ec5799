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

// The bits of a field; 0 where there is none.
HELPER uint extract(uint4 words, Field field) {
  const uint shift = field.position & 31;
  return ((words.x >> shift) & (field.mask & mask_if(field.position < 32))) |
         ((words.y >> shift) & (field.mask & mask_if(field.position >= 32)));
}

// The channels of 32 bits, those that are absent as 0.
HELPER uint4 channels_of(uint4 words, uint order) {
  const uint red = stored_channel(order, 0), green = stored_channel(order, 1),
             blue = stored_channel(order, 2), alpha = stored_channel(order, 3);
  return (uint4)(words.x & mask_if(red == 0),
                 (words.x & mask_if(green == 0)) | (words.y & mask_if(green == 1)),
                 (words.x & mask_if(blue == 0)) | (words.z & mask_if(blue == 2)),
                 (words.x & mask_if(alpha == 0)) | (words.y & mask_if(alpha == 1)) |
                     (words.w & mask_if(alpha == 3)));
}

// The fields of r, g, b and a.
typedef struct {
  Field red, green, blue, alpha;
} Fields;
HELPER Fields fields_of(uint type, uint order) {
  Fields fields;
  fields.red = field_of(type, stored_channel(order, 0));
  fields.green = field_of(type, stored_channel(order, 1));
  fields.blue = field_of(type, stored_channel(order, 2));
  fields.alpha = field_of(type, stored_channel(order, 3));
  return fields;
}
HELPER uint4 bits_of(uint4 words, Fields fields) {
  // The first two stored channels, and so r and g, are never in the second word.
  fields.red.position &= 31;
  fields.green.position &= 31;
  return (uint4)(extract(words, fields.red), extract(words, fields.green),
                 extract(words, fields.blue), extract(words, fields.alpha));
}
HELPER int4 extend_sign(uint4 bits, Fields fields) {
  const uint4 sign = (uint4)(fields.red.sign, fields.green.sign, fields.blue.sign,
                             fields.alpha.sign);
  return as_int4((bits ^ sign) - sign);
}

HELPER uint4 add_alpha(uint4 color, uint order, uint one) {
  color.w |= one & mask_if(stored_channel(order, 3) == READS_1);
  return color;
}

// Of channels narrower than 32 bits.
HELPER float4 convert_fields(uint4 words, uint type, uint order) {
  const Fields fields = fields_of(type, order);
  const uint4 bits = bits_of(words, fields);
  if (type == CLK_HALF_FLOAT) return from_half(__builtin_convertvector(bits, ushort4));
  if (order == CLK_sRGBA) return linear_of_srgb(as_int4(bits));
  const float4 unit = 1.0f / largest_of_colors(type, order);
  if (!is_signed(type)) return __builtin_convertvector(as_int4(bits), float4) * unit;
  const float4 values = __builtin_convertvector(extend_sign(bits, fields), float4) * unit;
  return values > -1.0f ? values : -1.0f;
}

HELPER float4 load_float(const global uchar* row, int x, uint type, uint order, uint size) {
  const uint4 words = load_words(row, x, size);
  uint4 color;
  if (type == CLK_FLOAT)
    color = channels_of(words, order);
  else
    color = as_uint4(convert_fields(words, type, order));
  return as_float4(add_alpha(color, order, as_uint(1.0f)));
}

HELPER uint4 load_integer(const global uchar* row, int x, uint type, uint order, uint size) {
  const uint4 words = load_words(row, x, size);
  uint4 color;
  if (has_words(type)) {
    color = channels_of(words, order);
  } else {
    const Fields fields = fields_of(type, order);
    color = as_uint4(extend_sign(bits_of(words, fields), fields));
  }
  return add_alpha(color, order, 1);
}

#define LOAD_AS(R, LOAD)                                                          \
  HELPER R load_##R(Image image, const global uchar* row, int x) {                \
    return as_##R(LOAD(row, x, image->channel_type, image->channel_order,   \
                       image->element_size));                                  \
  }
LOAD_AS(float4, load_float)
LOAD_AS(int4, load_integer)
LOAD_AS(uint4, load_integer)

#endif  // CONCLAVE_BUILTINS_IMAGE_LOAD_H_
