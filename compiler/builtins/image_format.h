// SPDX-License-Identifier: Apache-2.0
// Where an image's format has the channels of an element, and what their numbers mean.
//
// An element is seen as up to four words of 32 bits. Channels of 32 bits are words; narrower ones
// are fields of the first two. Channels that an element stores are numbered as they lie in memory,
// packed ones from the highest bits on, as their names say.
//
// All of this is arithmetic, without branches and tables, so that the optimiser can take it out of
// loops wherever it stands.
#ifndef CONCLAVE_BUILTINS_IMAGE_FORMAT_H_
#define CONCLAVE_BUILTINS_IMAGE_FORMAT_H_

#include "image.h"

// What is not stored reads as 0 or 1.
#define READS_0 4
#define READS_1 5

// The stored channel that r, g, b or a is, as a digit for each order. From the last one on: R, A, RG,
// RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE; and after three that there are not, DEPTH.
#define STORED_RED 0x00000012000040ul
#define STORED_GREEN 0x40000021114144ul
#define STORED_BLUE 0x40000030224444ul
#define STORED_ALPHA 0x50005003351505ul

// Of r (0), g (1), b (2) or a (3), which is a constant.
HELPER uint stored_channel(uint order, uint channel) {
  const ulong digits = channel == 0   ? STORED_RED
                       : channel == 1 ? STORED_GREEN
                       : channel == 2 ? STORED_BLUE
                                      : STORED_ALPHA;
  const uint index = (order == CLK_sRGBA ? CLK_RGBA : order) - CLK_R;
  return (uint)(digits >> (index * 4 & 63)) & 15;
}

// Whether a channel type is one of several.
#define TYPE(type) (1u << (type - CLK_SNORM_INT8))
HELPER bool is_one_of(uint type, uint types) {
  return (types >> ((type - CLK_SNORM_INT8) & 31)) & 1;
}
HELPER bool is_signed(uint type) {
  return is_one_of(type, TYPE(CLK_SNORM_INT8) | TYPE(CLK_SNORM_INT16) | TYPE(CLK_SIGNED_INT8) |
                             TYPE(CLK_SIGNED_INT16));
}
HELPER bool has_bytes(uint type) {
  return is_one_of(type, TYPE(CLK_SNORM_INT8) | TYPE(CLK_UNORM_INT8) | TYPE(CLK_SIGNED_INT8) |
                             TYPE(CLK_UNSIGNED_INT8));
}
HELPER bool has_words(uint type) {
  return is_one_of(type,
                   TYPE(CLK_SIGNED_INT32) | TYPE(CLK_UNSIGNED_INT32) | TYPE(CLK_FLOAT));
}

// A field of 1 to 16 bits; one that is not stored has no bits.
typedef struct {
  uint position, mask, sign;
} Field;
HELPER Field field_of(uint type, uint stored) {
  uint bits = has_bytes(type) ? 8 : 16;
  uint position = stored * bits;
  if (type == CLK_UNORM_SHORT_565) {
    bits = stored == 1 ? 6 : 5;
    position = stored == 0 ? 11 : stored == 1 ? 5 : 0;
  }
  if (type == CLK_UNORM_SHORT_555) {
    bits = 5;
    position = (2 - stored) * 5;
  }
  if (type == CLK_UNORM_INT_101010) {
    bits = 10;
    position = (2 - stored) * 10;
  }
  Field field;
  field.position = position & 63;
  field.mask = stored < READS_0 ? (1u << bits) - 1 : 0;
  field.sign = is_signed(type) ? (field.mask + 1) >> 1 : 0;
  return field;
}

// What is 1 of a normalized type.
HELPER float4 largest_of(uint type) {
  float largest = type == CLK_UNORM_INT8       ? 255.0f
                  : type == CLK_UNORM_INT16    ? 65535.0f
                  : type == CLK_SNORM_INT8     ? 127.0f
                  : type == CLK_SNORM_INT16    ? 32767.0f
                  : type == CLK_UNORM_INT_101010 ? 1023.0f
                                               : 31.0f;
  return (float4)(largest, type == CLK_UNORM_SHORT_565 ? 63.0f : largest, largest, largest);
}

// Channels are put together by masks, not chosen: a mask is the same for all work-items, and a
// choice would be a branch for each.
HELPER uint mask_if(bool condition) { return condition ? ~0u : 0u; }

#endif  // CONCLAVE_BUILTINS_IMAGE_FORMAT_H_
