// SPDX-License-Identifier: Apache-2.0
// What all image functions build on.
//
// The compiler makes of an image the address of what describes it, abi::Image of
// conclave/kernel_abi.h, and of a sampler its bits (compiler/workgroup/lower_images.h). So these
// functions are written for `Image` and uint, under the names that clang gives to functions of
// images: _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.
//
// Formats and samplers are the same for all work-items: what depends on them alone may branch.
#ifndef CONCLAVE_BUILTINS_IMAGE_H_
#define CONCLAVE_BUILTINS_IMAGE_H_

#include "instantiate.h"

// As abi::Image.
typedef const constant struct {
  global uchar* data;
  ulong row_pitch, slice_pitch;
  uint width, height, depth, array_size;
  uint channel_order, channel_type, element_size, reserved;
  // As abi::ImageChannels.
  uint shift[4], low_mask[4], high_mask[4], sign[4];
  float unit[4];
  uint in_word_0[4], in_word_1[4], in_own_word[4];
  uint alpha_is_one, also_reserved;
}* Image;

// M(KIND, ...) for the kinds of images. A kind has: its mangled name without the access, the width
// of its coordinates, the number of its dimensions (an array's layers do not count), whether it has
// layers, and its coordinates as x, y and z, where z is an array's layer.
#define FOR_COLOR_IMAGES(M, ...) \
  M(1d, __VA_ARGS__)             \
  M(1d_array, __VA_ARGS__)       \
  M(2d, __VA_ARGS__)             \
  M(2d_array, __VA_ARGS__)       \
  M(3d, __VA_ARGS__)
#define FOR_DEPTH_IMAGES(M, ...) M(2d_depth, __VA_ARGS__) M(2d_array_depth, __VA_ARGS__)
#define FOR_IMAGES(M, ...)         \
  FOR_COLOR_IMAGES(M, __VA_ARGS__) \
  M(1d_buffer, __VA_ARGS__)        \
  FOR_DEPTH_IMAGES(M, __VA_ARGS__)

#define MANGLED_1d "14ocl_image1d_"
#define MANGLED_1d_array "20ocl_image1d_array_"
#define MANGLED_1d_buffer "21ocl_image1d_buffer_"
#define MANGLED_2d "14ocl_image2d_"
#define MANGLED_2d_array "20ocl_image2d_array_"
#define MANGLED_2d_depth "20ocl_image2d_depth_"
#define MANGLED_2d_array_depth "26ocl_image2d_array_depth_"
#define MANGLED_3d "14ocl_image3d_"

#define WIDTH_1d
#define WIDTH_1d_array 2
#define WIDTH_1d_buffer
#define WIDTH_2d 2
#define WIDTH_2d_array 4
#define WIDTH_2d_depth 2
#define WIDTH_2d_array_depth 4
#define WIDTH_3d 4

#define DIMENSIONS_1d 1
#define DIMENSIONS_1d_array 1
#define DIMENSIONS_1d_buffer 1
#define DIMENSIONS_2d 2
#define DIMENSIONS_2d_array 2
#define DIMENSIONS_2d_depth 2
#define DIMENSIONS_2d_array_depth 2
#define DIMENSIONS_3d 3

#define HAS_LAYERS_1d false
#define HAS_LAYERS_1d_array true
#define HAS_LAYERS_1d_buffer false
#define HAS_LAYERS_2d false
#define HAS_LAYERS_2d_array true
#define HAS_LAYERS_2d_depth false
#define HAS_LAYERS_2d_array_depth true
#define HAS_LAYERS_3d false

#define X_1d(c) (c)
#define Y_1d(c) 0
#define Z_1d(c) 0
#define X_1d_array(c) (c).x
#define Y_1d_array(c) 0
#define Z_1d_array(c) (c).y
#define X_1d_buffer(c) (c)
#define Y_1d_buffer(c) 0
#define Z_1d_buffer(c) 0
#define X_2d(c) (c).x
#define Y_2d(c) (c).y
#define Z_2d(c) 0
#define X_2d_array(c) (c).x
#define Y_2d_array(c) (c).y
#define Z_2d_array(c) (c).z
#define X_2d_depth(c) (c).x
#define Y_2d_depth(c) (c).y
#define Z_2d_depth(c) 0
#define X_2d_array_depth(c) (c).x
#define Y_2d_array_depth(c) (c).y
#define Z_2d_array_depth(c) (c).z
#define X_3d(c) (c).x
#define Y_3d(c) (c).y
#define Z_3d(c) (c).z

// The type of a kind's coordinates, and its mangled name.
#define COORDINATES(T, KIND) COORDINATES_(T, WIDTH_##KIND)
#define COORDINATES_(T, N) COORDINATES__(T, N)
#define COORDINATES__(T, N) T##N
#define MANGLED_COORDINATES(T, KIND) MANGLED_COORDINATES_(T, WIDTH_##KIND)
#define MANGLED_COORDINATES_(T, N) MANGLED_COORDINATES__(T, N)
#define MANGLED_COORDINATES__(T, N) MANGLED_WIDTH_##N LETTER_##T
#define MANGLED_WIDTH_ ""
#define MANGLED_WIDTH_2 "Dv2_"
#define MANGLED_WIDTH_4 "Dv4_"
#define LETTER_int "i"
#define LETTER_uint "j"
#define LETTER_float "f"

// Indices of an element. No vectors: their parts differ, x from work-item to work-item, and y mostly
// from row to row of them.
typedef struct {
  int x, y, z;
} Place;
#define PLACE(KIND, c) ((Place){X_##KIND(c), Y_##KIND(c), Z_##KIND(c)})

// An index inside.
HELPER int clamp_index(int index, int size) {
  const int above = __builtin_elementwise_max(index, 0);
  return __builtin_elementwise_min(above, size - 1);
}

// The element 0 of a place's row.
HELPER global uchar* row_of(Image image, Place place) {
  return image->data + (ulong)(uint)place.y * image->row_pitch +
         (ulong)(uint)place.z * image->slice_pitch;
}

// A host's memory may begin anywhere.
typedef ushort ushort_anywhere __attribute__((aligned(1)));
typedef uint uint_anywhere __attribute__((aligned(1)));
typedef uint uint2_anywhere __attribute__((ext_vector_type(2), aligned(1)));
typedef uint uint4_anywhere __attribute__((ext_vector_type(4), aligned(1)));
#define AT(T, row) ((global T*)(row))

#endif  // CONCLAVE_BUILTINS_IMAGE_H_
