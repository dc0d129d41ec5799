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

// A channel that is not stored reads as 0 or 1.
#define READS_0 4
#define READS_1 5

// The stored channel that r, g, b or a is, as a digit for each order. From the last one on: R, A, RG,
// RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE; and after three that there are not, DEPTH.
#define STORED_RED 0x00000012000040ul
#define STORED_GREEN 0x40000021114144ul
#define STORED_BLUE 0x40000030224444ul
#define STORED_ALPHA 0x50005003351505ul

// `channel` is r (0), g (1), b (2) or a (3).
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
HELPER bool has_words(uint type) {
  return is_one_of(type,
                   TYPE(CLK_SIGNED_INT32) | TYPE(CLK_UNSIGNED_INT32) | TYPE(CLK_FLOAT));
}

// A field of 1 to 16 bits; one that is not stored has no bits.
typedef struct {
  uint position, mask, sign;
} Field;

// Bits of a channel, a digit for each type; 0 for 16. From the last one on: SNORM_INT8, SNORM_INT16,
// UNORM_INT8, UNORM_INT16, UNORM_SHORT_565 and 555, UNORM_INT_101010, SIGNED_INT8, 16 and 32,
// UNSIGNED_INT8, 16 and 32, HALF_FLOAT, FLOAT.
#define CHANNEL_BITS 0x000008008a550808ul
#define PACKED_TYPES \
  (TYPE(CLK_UNORM_SHORT_565) | TYPE(CLK_UNORM_SHORT_555) | TYPE(CLK_UNORM_INT_101010))

HELPER Field field_of(uint type, uint stored) {
  const uint digit = (uint)(CHANNEL_BITS >> ((type - CLK_SNORM_INT8) * 4 & 63)) & 15;
  const uint bits = digit == 0 ? 16 : digit;
  const uint below = is_one_of(type, PACKED_TYPES) ? 2 - stored : stored;
  // Green has a bit more of these, and lies below red.
  const bool is_565 = type == CLK_UNORM_SHORT_565;
  Field field;
  field.position = (below * bits + (is_565 & (stored == 0))) & 63;
  field.mask = stored < READS_0 ? (1u << (bits + (is_565 & (stored == 1)))) - 1 : 0;
  field.sign = is_signed(type) ? (field.mask + 1) >> 1 : 0;
  return field;
}

// The number that is 1 in a field of a normalized type.
HELPER float largest_of(uint type, uint stored) {
  const uint mask = field_of(type, stored).mask >> is_signed(type);
  return (float)(int)(mask == 0 ? 1 : mask);
}
HELPER float4 largest_of_colors(uint type, uint order) {
  return (float4)(largest_of(type, stored_channel(order, 0)),
                  largest_of(type, stored_channel(order, 1)),
                  largest_of(type, stored_channel(order, 2)),
                  largest_of(type, stored_channel(order, 3)));
}

// Channels are put together by masks, not chosen: a mask is the same for all work-items, and a
// choice would be a branch for each.
HELPER uint mask_if(bool condition) { return condition ? ~0u : 0u; }

#endif  // CONCLAVE_BUILTINS_IMAGE_FORMAT_H_
