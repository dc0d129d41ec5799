// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.2, reading images with a sampler. A kind of images is known by its `dimensions`,
// and by having layers or not: constants here.
#include "image_address.h"
#include "image_load.h"

// Sizes in the dimensions of places; an array's layers are z.
HELPER int3 sizes_of(Image image, bool has_layers) {
  return (int3)(width_of(image), height_of(image),
                has_layers ? array_size_of(image) : depth_of(image));
}

HELPER int3 inside_of(int3 index, int3 sizes, uint sampler, int dimensions) {
  return (int3)(inside_index(index.x, sizes.x, sampler),
                dimensions > 1 ? inside_index(index.y, sizes.y, sampler) : index.y,
                dimensions > 2 ? inside_index(index.z, sizes.z, sampler) : index.z);
}

HELPER int3 nearest_indices(float3 coordinates, int3 sizes, uint sampler, int dimensions,
                            bool has_layers) {
  return (int3)(nearest_index(coordinates.x, sizes.x, sampler),
                dimensions > 1 ? nearest_index(coordinates.y, sizes.y, sampler) : 0,
                dimensions > 2 ? nearest_index(coordinates.z, sizes.z, sampler)
                : has_layers   ? layer_index(coordinates.z, sizes.z)
                               : 0);
}

// The element `inside`, or the border where that is not the one that was meant. The border has what
// absent channels have: alpha is 1 where none is stored.
#define LOAD(R)                                                                                  \
  HELPER R load_##R(Image image, uint sampler, int3 index, int3 inside) {                        \
    const R color = load_##R(image, row_of(image, inside.y, inside.z), inside.x);                \
    if (address_mode(sampler) != CLK_ADDRESS_CLAMP) return color;                                \
    const bool is_inside = (inside.x == index.x) & (inside.y == index.y) & (inside.z == index.z); \
    const bool has_alpha = stored_channel(channel_order_of(image), 3) != READS_1;                \
    const R border = (R)(0, 0, 0, has_alpha ? 0 : 1);                                            \
    return is_inside ? color : border;                                                           \
  }
LOAD(float4)
LOAD(int4)
LOAD(uint4)

// What a linear filter looks at: neighbours from `first` on, and how near the place is to the second.
HELPER int3 linear_indices(float3 coordinates, int3 sizes, uint sampler, int dimensions,
                           bool has_layers, float3* share) {
  const float3 place = (float3)(
      place_of(coordinates.x, sizes.x, sampler),
      dimensions > 1 ? place_of(coordinates.y, sizes.y, sampler) : 0.5f,
      dimensions > 2 ? place_of(coordinates.z, sizes.z, sampler) : 0.5f) - 0.5f;
  const float3 whole = __builtin_elementwise_floor(place);
  *share = place - whole;
  return (int3)(first_index(whole.x, sizes.x),
                dimensions > 1 ? first_index(whole.y, sizes.y) : 0,
                dimensions > 2 ? first_index(whole.z, sizes.z)
                : has_layers   ? layer_index(coordinates.z, sizes.z)
                               : 0);
}

// One element or the neighbours, one after the other, so that the code for all formats is there
// once. One element's share is 1; added to -0 it stays what it is.
HELPER float4 sample_filtered(Image image, uint sampler, float3 coordinates, int dimensions,
                              bool has_layers) {
  const int3 sizes = sizes_of(image, has_layers);
  const bool is_linear = sampler & CLK_FILTER_LINEAR;
  float3 share = 0;
  int3 first;
  if (is_linear)
    first = linear_indices(coordinates, sizes, sampler, dimensions, has_layers, &share);
  else
    first = nearest_indices(coordinates, sizes, sampler, dimensions, has_layers);
  const int count = is_linear ? 1 << dimensions : 1;
  float4 sum = -0.0f;
  __attribute__((opencl_unroll_hint(1)))
  for (int neighbour = 0; neighbour < count; ++neighbour) {
    const int3 step = (int3)(neighbour & 1, (neighbour >> 1) & 1, neighbour >> 2);
    const float3 weights = step != 0 ? share : 1 - share;
    const int3 index = first + step;
    sum += weights.x * weights.y * weights.z *
           load_float4(image, sampler, index, inside_of(index, sizes, sampler, dimensions));
  }
  return sum;
}

// Integers have no other filter.
#define SAMPLE_NEAREST(R)                                                                 \
  HELPER R sample_##R(Image image, uint sampler, float3 coordinates, int dimensions,      \
                      bool has_layers) {                                                  \
    const int3 sizes = sizes_of(image, has_layers);                                       \
    const int3 index = nearest_indices(coordinates, sizes, sampler, dimensions, has_layers); \
    return load_##R(image, sampler, index, inside_of(index, sizes, sampler, dimensions)); \
  }
SAMPLE_NEAREST(int4)
SAMPLE_NEAREST(uint4)

// With integer coordinates only the modes without calculations are allowed. CLK_ADDRESS_NONE is a
// promise, which is what makes rows of elements of rows of work-items.
#define SAMPLE_INDEX(R)                                                                     \
  HELPER R sample_##R(Image image, uint sampler, int3 index, int dimensions,                \
                      bool has_layers) {                                                    \
    const int3 sizes = sizes_of(image, has_layers);                                         \
    if (has_layers) index.z = clamp_index(index.z, sizes.z);                                \
    int3 inside = inside_of(index, sizes, CLK_ADDRESS_CLAMP_TO_EDGE, dimensions);           \
    if (address_mode(sampler) == CLK_ADDRESS_NONE) inside = index;                          \
    return load_##R(image, sampler, index, inside);                                         \
  }
SAMPLE_INDEX(float4)
SAMPLE_INDEX(int4)
SAMPLE_INDEX(uint4)

#define SAMPLE(KIND, T, R, SAMPLE_FORM, LENGTH, NAME, PART)                                       \
  R NAME##_##KIND##_##T(Image image, uint sampler, COORDINATES(T, KIND) coordinates)         \
      __asm("_Z" LENGTH #NAME MANGLED_##KIND "ro11ocl_sampler" MANGLED_COORDINATES(T, KIND)); \
  R NAME##_##KIND##_##T(Image image, uint sampler, COORDINATES(T, KIND) coordinates) {       \
    return SAMPLE_FORM(image, sampler, PLACE_##KIND(T, coordinates), DIMENSIONS_##KIND,           \
                  HAS_LAYERS_##KIND) PART;                                                   \
  }
FOR_COLOR_IMAGES(SAMPLE, float, float4, sample_filtered, "11", read_imagef, )
FOR_COLOR_IMAGES(SAMPLE, int, float4, sample_float4, "11", read_imagef, )
FOR_COLOR_IMAGES(SAMPLE, float, int4, sample_int4, "11", read_imagei, )
FOR_COLOR_IMAGES(SAMPLE, int, int4, sample_int4, "11", read_imagei, )
FOR_COLOR_IMAGES(SAMPLE, float, uint4, sample_uint4, "12", read_imageui, )
FOR_COLOR_IMAGES(SAMPLE, int, uint4, sample_uint4, "12", read_imageui, )
FOR_DEPTH_IMAGES(SAMPLE, float, float, sample_filtered, "11", read_imagef, .x)
FOR_DEPTH_IMAGES(SAMPLE, int, float, sample_float4, "11", read_imagef, .x)
