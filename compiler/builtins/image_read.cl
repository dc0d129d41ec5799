// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.3, reading images without a sampler. As with CLK_ADDRESS_NONE coordinates must be
// inside of the image, which is not checked; only an array's layer is clamped.
#include "image_load.h"

#define READ(KIND, ACCESS, R, E, LENGTH, NAME, PART)                                            \
  R NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates)                   \
      __asm("_Z" LENGTH #NAME MANGLED_##KIND #ACCESS MANGLED_COORDINATES(int, KIND));           \
  R NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates) {                 \
    Place place = PLACE(KIND, coordinates);                                                     \
    if (HAS_LAYERS_##KIND) place.z = clamp_index(place.z, image->array_size);                  \
    return PART(load_##E(image, row_of(image, place), place.x));                                \
  }
#define READS(KIND, ...) READ(KIND, ro, __VA_ARGS__) READ(KIND, rw, __VA_ARGS__)

FOR_COLOR_IMAGES(READS, float4, float4, "11", read_imagef, WHOLE)
FOR_COLOR_IMAGES(READS, int4, int4, "11", read_imagei, WHOLE)
FOR_COLOR_IMAGES(READS, uint4, uint4, "12", read_imageui, WHOLE)
READS(1d_buffer, float4, float4, "11", read_imagef, WHOLE)
READS(1d_buffer, int4, int4, "11", read_imagei, WHOLE)
READS(1d_buffer, uint4, uint4, "12", read_imageui, WHOLE)
FOR_COLOR_IMAGES(READS, half4, float4, "11", read_imageh, HALVES)
READS(1d_buffer, half4, float4, "11", read_imageh, HALVES)
FOR_DEPTH_IMAGES(READS, float, float4, "11", read_imagef, RED)
