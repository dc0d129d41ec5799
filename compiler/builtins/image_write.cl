// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.5, writing images. The specification leaves open what a write outside of the image
// does. Here it does nothing, as on GPUs: programs rely on it.
#include "image_store.h"

// Negative indices are large as unsigned ones.
#define IS_INSIDE(KIND, image, place)                                                \
  ((uint)place.x < image->width && (DIMENSIONS_##KIND < 2 || (uint)place.y < image->height) && \
   (DIMENSIONS_##KIND < 3 || (uint)place.z < image->depth) &&                         \
   (!HAS_LAYERS_##KIND || (uint)place.z < image->array_size))

#define WRITE(KIND, ACCESS, C, LENGTH, NAME, MANGLED_COLOR, COLOR)                             \
  void NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates, C color)      \
      __asm("_Z" LENGTH #NAME MANGLED_##KIND #ACCESS MANGLED_COORDINATES(int, KIND) MANGLED_COLOR); \
  void NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates, C color) {    \
    const Place place = PLACE(KIND, coordinates);                                              \
    if (IS_INSIDE(KIND, image, place)) store(image, row_of(image, place), place.x, COLOR);     \
  }
#define WRITES(KIND, ...) WRITE(KIND, wo, __VA_ARGS__) WRITE(KIND, rw, __VA_ARGS__)

FOR_COLOR_IMAGES(WRITES, float4, "12", write_imagef, "Dv4_f", color)
WRITES(1d_buffer, float4, "12", write_imagef, "Dv4_f", color)
#define FLOATS(color) __builtin_convertvector(color, float4)
FOR_COLOR_IMAGES(WRITES, half4, "12", write_imageh, "Dv4_Dh", FLOATS(color))
WRITES(1d_buffer, half4, "12", write_imageh, "Dv4_Dh", FLOATS(color))
FOR_DEPTH_IMAGES(WRITES, float, "12", write_imagef, "f", (float4)(color, 0, 0, 0))
FOR_COLOR_IMAGES(WRITES, uint4, "13", write_imageui, "Dv4_j", color)
WRITES(1d_buffer, uint4, "13", write_imageui, "Dv4_j", color)
// A type that is there already is named by its number.
WRITES(1d, int4, "12", write_imagei, "Dv4_i", color)
WRITES(1d_buffer, int4, "12", write_imagei, "Dv4_i", color)
WRITES(1d_array, int4, "12", write_imagei, "Dv4_i", color)
WRITES(2d, int4, "12", write_imagei, "Dv4_i", color)
WRITES(2d_array, int4, "12", write_imagei, "S0_", color)
WRITES(3d, int4, "12", write_imagei, "S0_", color)
