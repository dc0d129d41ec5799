// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.15.5, writing images. Coordinates must be inside of the image, which is not checked;
// only an array's layer is clamped.
#include "image_store.h"

#define WRITE(KIND, ACCESS, C, LENGTH, NAME, MANGLED_COLOR, COLOR)                             \
  void NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates, C color)      \
      __asm("_Z" LENGTH #NAME MANGLED_##KIND #ACCESS MANGLED_COORDINATES(int, KIND) MANGLED_COLOR); \
  void NAME##_##KIND##_##ACCESS(Image image, COORDINATES(int, KIND) coordinates, C color) {    \
    Place place = PLACE(KIND, coordinates);                                                     \
    if (HAS_LAYERS_##KIND) place.z = clamp_index(place.z, image->array_size);               \
    store(image, row_of(image, place), place.x, COLOR);                             \
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
