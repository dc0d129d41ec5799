// SPDX-License-Identifier: Apache-2.0
// From coordinates to elements (OpenCL C, "Addressing and Filter Modes"), in one dimension.
//
// A coordinate becomes a place, counted in elements from the image's edge; then the index of an
// element, which may be just outside; then, by the addressing mode, one inside.
#ifndef CONCLAVE_BUILTINS_IMAGE_ADDRESS_H_
#define CONCLAVE_BUILTINS_IMAGE_ADDRESS_H_

#include "image.h"

#define ADDRESS_MASK (CLK_ADDRESS_REPEAT | CLK_ADDRESS_MIRRORED_REPEAT)
HELPER uint address_mode(uint sampler) { return sampler & ADDRESS_MASK; }

// `u` in the specification's formulas.
HELPER float place_of(float coordinate, uint size, uint sampler) {
  const uint mode = address_mode(sampler);
  const float scale = sampler & CLK_NORMALIZED_COORDS_TRUE ? (float)size : 1.0f;
  if (mode == CLK_ADDRESS_REPEAT)
    coordinate -= __builtin_elementwise_floor(coordinate);
  else if (mode == CLK_ADDRESS_MIRRORED_REPEAT)
    coordinate = __builtin_elementwise_abs(
        coordinate - 2.0f * __builtin_elementwise_rint(0.5f * coordinate));
  return coordinate * scale;
}

// The index of a whole number, bounded so that every number has one. For NaN it is the lower bound.
HELPER int index_of(float whole, int low, int high) {
  const float above = whole > (float)low ? whole : (float)low;
  return (int)(above < (float)high ? above : (float)high);
}

// Indices are at most as far outside as one element may be from its neighbour.
HELPER int wrap_index(int index, int size, uint sampler) {
  if (address_mode(sampler) != CLK_ADDRESS_REPEAT) return index;
  return index < 0 ? index + size : index > size - 1 ? index - size : index;
}

HELPER int nearest_index(float coordinate, int size, uint sampler) {
  return index_of(__builtin_elementwise_floor(place_of(coordinate, size, sampler)), -1, size);
}

// The first of two neighbours, and how near the place is to the second.
HELPER int first_index(float coordinate, int size, uint sampler, float* share) {
  const float place = place_of(coordinate, size, sampler) - 0.5f;
  const float whole = __builtin_elementwise_floor(place);
  *share = place - whole;
  return index_of(whole, -2, size);
}

// An array's layer.
HELPER int layer_index(float coordinate, int size) {
  return index_of(__builtin_elementwise_rint(coordinate), 0, size - 1);
}

#endif  // CONCLAVE_BUILTINS_IMAGE_ADDRESS_H_
