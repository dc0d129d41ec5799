// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.6, image query functions.
#include "image.h"

#define QUERY(KIND, ACCESS, R, LENGTH, NAME, ...)                                              \
  R NAME##_##KIND##_##ACCESS(Image image) __asm("_Z" LENGTH #NAME MANGLED_##KIND #ACCESS);      \
  R NAME##_##KIND##_##ACCESS(Image image) { return __VA_ARGS__; }
#define QUERIES(KIND, ...)        \
  QUERY(KIND, ro, __VA_ARGS__)    \
  QUERY(KIND, wo, __VA_ARGS__)    \
  QUERY(KIND, rw, __VA_ARGS__)
#define FOR_PLANES(M, ...) \
  M(2d, __VA_ARGS__) M(2d_array, __VA_ARGS__) FOR_DEPTH_IMAGES(M, __VA_ARGS__)
#define FOR_ARRAYS(M, ...) \
  M(1d_array, __VA_ARGS__) M(2d_array, __VA_ARGS__) M(2d_array_depth, __VA_ARGS__)

FOR_IMAGES(QUERIES, int, "15", get_image_width, image->width)
FOR_PLANES(QUERIES, int, "16", get_image_height, image->height)
QUERIES(3d, int, "16", get_image_height, image->height)
QUERIES(3d, int, "15", get_image_depth, image->depth)
FOR_IMAGES(QUERIES, int, "27", get_image_channel_data_type, image->channel_type)
FOR_IMAGES(QUERIES, int, "23", get_image_channel_order, image->channel_order)
FOR_PLANES(QUERIES, int2, "13", get_image_dim, (int2)(image->width, image->height))
QUERIES(3d, int4, "13", get_image_dim,
        (int4)(image->width, image->height, image->depth, 0))
FOR_ARRAYS(QUERIES, size_t, "20", get_image_array_size, image->array_size)
