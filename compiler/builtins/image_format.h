// SPDX-License-Identifier: Apache-2.0
// Where an image's format has the channels of an element, and what their numbers mean.
//
// An element is seen as up to four words of 32 bits. Channels of 32 bits are words; narrower ones
// are fields of the first two. Channels that an element stores are numbered as they lie in memory,
// (packed ones from the highest bits on, as their names say).
#ifndef CONCLAVE_BUILTINS_IMAGE_FORMAT_H_
#define CONCLAVE_BUILTINS_IMAGE_FORMAT_H_

#include "image.h"

// What is not stored reads as 0 or 1.
#define READS_0 4
#define READS_1 5

// By channel order from CLK_R on: for r, g, b, a, in this order from the lowest bits, the stored
// channel.
#define CHANNELS(r, g, b, a) ((r) | (g) << 4 | (b) << 8 | (a) << 12)
#define ABSENT READS_0
static constant ushort order_channels[32] = {
    CHANNELS(0, ABSENT, ABSENT, READS_1),  // R
    CHANNELS(ABSENT, ABSENT, ABSENT, 0),   // A
    CHANNELS(0, 1, ABSENT, READS_1),       // RG
    CHANNELS(0, ABSENT, ABSENT, 1),        // RA
    CHANNELS(0, 1, 2, READS_1),            // RGB
    CHANNELS(0, 1, 2, 3),                  // RGBA
    CHANNELS(2, 1, 0, 3),                  // BGRA
    CHANNELS(1, 2, 3, 0),                  // ARGB
    CHANNELS(0, 0, 0, 0),                  // INTENSITY
    CHANNELS(0, 0, 0, READS_1),            // LUMINANCE
    0, 0, 0,
    CHANNELS(0, ABSENT, ABSENT, READS_1),  // DEPTH
    0, 0, 0,
    CHANNELS(0, 1, 2, 3),                  // sRGBA
};

// By channel type from CLK_SNORM_INT8 on: for the stored channels, from the lowest bits, the first
// bit and the number of bits; and what one unit of a normalized channel is.
#define FOUR(a, b, c, d) ((a) | (b) << 8 | (c) << 16 | (uint)(d) << 24)
#define BYTES FOUR(0, 8, 16, 24)
#define SHORTS FOUR(0, 16, 32, 48)
static constant uint type_positions[16] = {
    BYTES, SHORTS, BYTES, SHORTS, FOUR(11, 5, 0, 0), FOUR(10, 5, 0, 0), FOUR(20, 10, 0, 0),
    BYTES, SHORTS, 0, BYTES, SHORTS, 0, SHORTS};
#define BITS(n) FOUR(n, n, n, n)
static constant uint type_bits[16] = {
    BITS(8), BITS(16), BITS(8), BITS(16), FOUR(5, 6, 5, 0), BITS(5), BITS(10),
    BITS(8), BITS(16), BITS(32), BITS(8), BITS(16), BITS(32), BITS(16), BITS(32)};
static constant float type_units[16] = {
    1 / 127.0f, 1 / 32767.0f, 1 / 255.0f, 1 / 65535.0f, 1 / 31.0f, 1 / 31.0f, 1 / 1023.0f};
#define UNIT_OF_565_GREEN (1 / 63.0f)
static constant float type_largest[16] = {127.0f, 32767.0f, 255.0f, 65535.0f, 31.0f, 31.0f, 1023.0f};
#define LARGEST_OF_565_GREEN 63.0f

HELPER uint index_of_order(uint order) { return (order - CLK_R) & 31; }
HELPER uint index_of_type(uint type) { return (type - CLK_SNORM_INT8) & 15; }

HELPER bool is_signed(uint type) {
  return type == CLK_SNORM_INT8 || type == CLK_SNORM_INT16 || type == CLK_SIGNED_INT8 ||
         type == CLK_SIGNED_INT16;
}

// Which stored channel r (0), g (1), b (2) or a (3) is.
HELPER uint stored_channel(uint order, uint channel) {
  return (order_channels[index_of_order(order)] >> (channel * 4)) & 15;
}

// A field of 1 to 16 bits; one that is not stored has no bits.
typedef struct {
  uint position, mask, sign;
} Field;
HELPER Field field_of(uint type, uint stored) {
  const uint bits = (type_bits[index_of_type(type)] >> (stored * 8 & 31)) & 31;
  Field field;
  field.position = (type_positions[index_of_type(type)] >> (stored * 8 & 31)) & 63;
  field.mask = stored < READS_0 ? (1u << bits) - 1 : 0;
  field.sign = is_signed(type) ? (field.mask + 1) >> 1 : 0;
  return field;
}

// Channels are put together by masks, not chosen: a mask is the same for all work-items, and a
// choice would be a branch for each.
HELPER uint mask_if(bool condition) { return condition ? ~0u : 0u; }

#endif  // CONCLAVE_BUILTINS_IMAGE_FORMAT_H_
