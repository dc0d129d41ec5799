// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.2, reading images with a sampler. A kind of images is known by its `dimensions`,
// and by having layers or not: constants here.
#include "image_address.h"
#include "image_load.h"

// Coordinates of a place between elements; those that a kind does not have are 0.
typedef struct {
  float x, y, z;
} Point;
#define POINT(KIND, c) ((Point){X_##KIND(c), Y_##KIND(c), Z_##KIND(c)})

// Sizes in the dimensions of places; an array's layers are z.
HELPER Place sizes_of(Image image, bool has_layers) {
  return (Place){image->width, image->height,
                 has_layers ? image->array_size : image->depth};
}

HELPER Place clamp_place(Place place, Place sizes, int dimensions) {
  return (Place){clamp_index(place.x, sizes.x),
                 dimensions > 1 ? clamp_index(place.y, sizes.y) : place.y,
                 dimensions > 2 ? clamp_index(place.z, sizes.z) : place.z};
}
HELPER Place wrap_place(Place place, Place sizes, uint sampler, int dimensions) {
  return (Place){wrap_index(place.x, sizes.x, sampler),
                 dimensions > 1 ? wrap_index(place.y, sizes.y, sampler) : place.y,
                 dimensions > 2 ? wrap_index(place.z, sizes.z, sampler) : place.z};
}

HELPER Place nearest_place(Point point, Place sizes, uint sampler, int dimensions,
                           bool has_layers) {
  return (Place){nearest_index(point.x, sizes.x, sampler),
                 dimensions > 1 ? nearest_index(point.y, sizes.y, sampler) : 0,
                 dimensions > 2 ? nearest_index(point.z, sizes.z, sampler)
                 : has_layers   ? layer_index(point.z, sizes.z)
                                : 0};
}

// Returns the first of the two neighbours per dimension that a linear filter looks at, and in
// `share` how near the point is to the second one.
HELPER Place first_place(Point point, Place sizes, uint sampler, int dimensions, bool has_layers,
                         Point* share) {
  Place place = {0, 0, has_layers ? layer_index(point.z, sizes.z) : 0};
  place.x = first_index(point.x, sizes.x, sampler, &share->x);
  if (dimensions > 1) place.y = first_index(point.y, sizes.y, sampler, &share->y);
  if (dimensions > 2) place.z = first_index(point.z, sizes.z, sampler, &share->z);
  return place;
}

// The element `inside`, or the border where that is not the one that was meant. The border has what
// absent channels have: alpha is 1 where none is stored.
#define LOAD(R)                                                                                  \
  HELPER R load_##R(Image image, uint sampler, Place meant, Place inside) {                      \
    const R color = load_##R(image, row_of(image, inside), inside.x);                            \
    if (address_mode(sampler) != CLK_ADDRESS_CLAMP) return color;                                \
    const bool is_inside = (inside.x == meant.x) & (inside.y == meant.y) & (inside.z == meant.z); \
    const R border = (R)(0, 0, 0, image->alpha_is_one ? 1 : 0);                                  \
    return is_inside ? color : border;                                                           \
  }
LOAD(float4)
LOAD(int4)
LOAD(uint4)

#define LOAD_WRAPPED(R)                                                                   \
  HELPER R load_wrapped_##R(Image image, uint sampler, Place place, Place sizes,          \
                            int dimensions) {                                             \
    const Place wrapped = wrap_place(place, sizes, sampler, dimensions);                  \
    return load_##R(image, sampler, place, clamp_place(wrapped, sizes, dimensions));      \
  }
LOAD_WRAPPED(float4)
LOAD_WRAPPED(int4)
LOAD_WRAPPED(uint4)

HELPER float weight_of(float share, int step) { return step ? share : 1.0f - share; }

// One element or the neighbours, one after the other, so that the code for all formats is there
// once. One element's share is 1; added to -0 it stays what it is.
HELPER float4 sample_filtered(Image image, uint sampler, Point point, int dimensions,
                              bool has_layers) {
  const Place sizes = sizes_of(image, has_layers);
  const bool is_linear = sampler & CLK_FILTER_LINEAR;
  Point share = {0, 0, 0};
  const Place first =
      is_linear ? first_place(point, sizes, sampler, dimensions, has_layers, &share)
                : nearest_place(point, sizes, sampler, dimensions, has_layers);
  const int count = is_linear ? 1 << dimensions : 1;
  float4 sum = -0.0f;
  __attribute__((opencl_unroll_hint(1)))
  for (int neighbour = 0; neighbour < count; ++neighbour) {
    const Place step = {neighbour & 1, (neighbour >> 1) & 1, neighbour >> 2};
    const Place place = {first.x + step.x, first.y + step.y, first.z + step.z};
    const float weight = weight_of(share.x, step.x) * weight_of(share.y, step.y) *
                         weight_of(share.z, step.z);
    sum += weight * load_wrapped_float4(image, sampler, place, sizes, dimensions);
  }
  return sum;
}

// Integers have no other filter.
#define SAMPLE_NEAREST(R)                                                                      \
  HELPER R sample_nearest_##R(Image image, uint sampler, Point point, int dimensions,          \
                              bool has_layers) {                                               \
    const Place sizes = sizes_of(image, has_layers);                                           \
    const Place place = nearest_place(point, sizes, sampler, dimensions, has_layers);          \
    return load_wrapped_##R(image, sampler, place, sizes, dimensions);                         \
  }
SAMPLE_NEAREST(int4)
SAMPLE_NEAREST(uint4)

// With integer coordinates only the modes without calculations are allowed. CLK_ADDRESS_NONE is a
// promise, which is what makes rows of elements of rows of work-items.
#define SAMPLE_PLACE(R)                                                                        \
  HELPER R sample_place_##R(Image image, uint sampler, Place place, int dimensions,            \
                            bool has_layers) {                                                 \
    const Place sizes = sizes_of(image, has_layers);                                           \
    if (has_layers) place.z = clamp_index(place.z, sizes.z);                                   \
    const bool is_unchecked = address_mode(sampler) == CLK_ADDRESS_NONE;                       \
    return load_##R(image, sampler, place,                                                     \
                    is_unchecked ? place : clamp_place(place, sizes, dimensions));             \
  }
SAMPLE_PLACE(float4)
SAMPLE_PLACE(int4)
SAMPLE_PLACE(uint4)

#define SAMPLE(KIND, T, COORDINATES_AS, R, FORM, LENGTH, NAME, PART)                               \
  R NAME##_##KIND##_##T(Image image, uint sampler, COORDINATES(T, KIND) coordinates)               \
      __asm("_Z" LENGTH #NAME MANGLED_##KIND "ro11ocl_sampler" MANGLED_COORDINATES(T, KIND));      \
  R NAME##_##KIND##_##T(Image image, uint sampler, COORDINATES(T, KIND) coordinates) {             \
    return PART(FORM(image, sampler, COORDINATES_AS(KIND, coordinates), DIMENSIONS_##KIND,         \
                     HAS_LAYERS_##KIND));                                                          \
  }
FOR_COLOR_IMAGES(SAMPLE, float, POINT, float4, sample_filtered, "11", read_imagef, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, int, PLACE, float4, sample_place_float4, "11", read_imagef, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, float, POINT, int4, sample_nearest_int4, "11", read_imagei, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, int, PLACE, int4, sample_place_int4, "11", read_imagei, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, float, POINT, uint4, sample_nearest_uint4, "12", read_imageui, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, int, PLACE, uint4, sample_place_uint4, "12", read_imageui, WHOLE)
FOR_COLOR_IMAGES(SAMPLE, float, POINT, half4, sample_filtered, "11", read_imageh, HALVES)
FOR_COLOR_IMAGES(SAMPLE, int, PLACE, half4, sample_place_float4, "11", read_imageh, HALVES)
FOR_DEPTH_IMAGES(SAMPLE, float, POINT, float, sample_filtered, "11", read_imagef, RED)
FOR_DEPTH_IMAGES(SAMPLE, int, PLACE, float, sample_place_float4, "11", read_imagef, RED)
