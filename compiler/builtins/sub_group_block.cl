// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups: reading and writing of neighbouring words by the work-items of a sub-group. The
// element i of a vector is a block further in a buffer, and a row further down in an image.
#include "headers/intel_sub_groups.h"
#include "image.h"
#include "sub_group.h"

#define READ_ONE(s, p, size) (p)[PLACE_##s * (size)]
#define PLACE_s0 0
#define PLACE_s1 1
#define PLACE_s2 2
#define PLACE_s3 3
#define PLACE_s4 4
#define PLACE_s5 5
#define PLACE_s6 6
#define PLACE_s7 7
#define PLACE_s8 8
#define PLACE_s9 9
#define PLACE_sa 10
#define PLACE_sb 11
#define PLACE_sc 12
#define PLACE_sd 13
#define PLACE_se 14
#define PLACE_sf 15
#define WRITE_ONE(s, p, size, x) (p)[PLACE_##s * (size)] = (x).s

// The sub-group has one address, that of its first work-item's word.
#define BUFFER_BLOCK(T, SUFFIX)                                                                    \
  OVERLOAD T intel_sub_group_block_read##SUFFIX(const global T* p) { return p[lane()]; }           \
  OVERLOAD void intel_sub_group_block_write##SUFFIX(global T* p, T x) { p[lane()] = x; }
#define BUFFER_BLOCKS(N, T, SUFFIX)                                                                \
  OVERLOAD T##N intel_sub_group_block_read##SUFFIX##N(const global T* p) {                         \
    const uint size = lanes();                                                                     \
    const global T* mine = p + lane();                                                             \
    return (T##N)(EACH(N, READ_ONE, mine, size));                                                  \
  }                                                                                                \
  OVERLOAD void intel_sub_group_block_write##SUFFIX##N(global T* p, T##N x) {                      \
    const uint size = lanes();                                                                     \
    global T* mine = p + lane();                                                                   \
    EACH(N, WRITE_ONE, mine, size, x);                                                             \
  }
#define BUFFER_WORDS(T, SUFFIX) \
  BUFFER_BLOCK(T, SUFFIX) BUFFER_BLOCKS(2, T, SUFFIX) BUFFER_BLOCKS(4, T, SUFFIX) BUFFER_BLOCKS(8, T, SUFFIX)
BUFFER_WORDS(uint, )
BUFFER_WORDS(uint, _ui)
BUFFER_WORDS(ushort, _us)
BUFFER_WORDS(uchar, _uc)
BUFFER_BLOCKS(16, uchar, _uc)
BUFFER_WORDS(ulong, _ul)

// Words of an image's rows, whatever its format is; x counts bytes. Reads outside get the nearest word
// inside, writes outside are dropped.
#define ANYWHERE(T) T##_anywhere
typedef uchar uchar_anywhere;
typedef ulong ulong_anywhere __attribute__((aligned(1)));
#define IMAGE_WORD(T)                                                                              \
  HELPER T word_at(Image image, int2 at, int row, T unused) {                                      \
    const int words = (int)(image->width * image->element_size / sizeof(T));                       \
    const Place place = {0, clamp_index(at.y + row, image->height), 0};                            \
    const int x = clamp_index(at.x / (int)sizeof(T) + (int)lane(), words);                         \
    return AT(ANYWHERE(T), row_of(image, place))[x];                                               \
  }                                                                                                \
  HELPER void put_word(Image image, int2 at, int row, T word) {                                    \
    const int words = (int)(image->width * image->element_size / sizeof(T));                       \
    const Place place = {0, at.y + row, 0};                                                        \
    const int x = at.x / (int)sizeof(T) + (int)lane();                                             \
    if ((uint)place.y < image->height && (uint)x < (uint)words)                                    \
      AT(ANYWHERE(T), row_of(image, place))[x] = word;                                             \
  }
IMAGE_WORD(uint)
IMAGE_WORD(ushort)
IMAGE_WORD(uchar)
IMAGE_WORD(ulong)

#define READ_ROW(s, image, at, T) word_at(image, at, PLACE_##s, (T)0)
#define WRITE_ROW(s, image, at, x) put_word(image, at, PLACE_##s, (x).s)
#define EACH_(M, ...) M(s0, __VA_ARGS__)
#define ROWS_READ(N, T) ROWS_READ_##N(T)
#define ROWS_READ_(T) word_at(image, at, 0, (T)0)
#define ROWS_READ_2(T) (T##2)(EACH(2, READ_ROW, image, at, T))
#define ROWS_READ_4(T) (T##4)(EACH(4, READ_ROW, image, at, T))
#define ROWS_READ_8(T) (T##8)(EACH(8, READ_ROW, image, at, T))
#define ROWS_READ_16(T) (T##16)(EACH(16, READ_ROW, image, at, T))
#define ROWS_WRITTEN(N) ROWS_WRITTEN_##N
#define ROWS_WRITTEN_ put_word(image, at, 0, x)
#define ROWS_WRITTEN_2 EACH(2, WRITE_ROW, image, at, x)
#define ROWS_WRITTEN_4 EACH(4, WRITE_ROW, image, at, x)
#define ROWS_WRITTEN_8 EACH(8, WRITE_ROW, image, at, x)
#define ROWS_WRITTEN_16 EACH(16, WRITE_ROW, image, at, x)

// LENGTH_READ and LENGTH_WRITE: of the names, for mangling.
#define IMAGE_READ(ACCESS, T, SUFFIX, N, LENGTH)                                                   \
  T##N block_read##SUFFIX##N##_##ACCESS(Image image, int2 at) __asm(                               \
      "_Z" LENGTH "intel_sub_group_block_read" #SUFFIX #N MANGLED_2d #ACCESS "Dv2_i");             \
  T##N block_read##SUFFIX##N##_##ACCESS(Image image, int2 at) { return ROWS_READ(N, T); }
#define IMAGE_WRITE(ACCESS, T, SUFFIX, N, LENGTH, MANGLED)                                         \
  void block_write##SUFFIX##N##_##ACCESS(Image image, int2 at, T##N x) __asm(                      \
      "_Z" LENGTH "intel_sub_group_block_write" #SUFFIX #N MANGLED_2d #ACCESS "Dv2_i" MANGLED);    \
  void block_write##SUFFIX##N##_##ACCESS(Image image, int2 at, T##N x) { ROWS_WRITTEN(N); }
#define IMAGE_BLOCKS(T, LETTER, SUFFIX, N, LENGTH_READ, LENGTH_WRITE, VECTOR)                      \
  IMAGE_READ(ro, T, SUFFIX, N, LENGTH_READ)                                                        \
  IMAGE_READ(rw, T, SUFFIX, N, LENGTH_READ)                                                        \
  IMAGE_WRITE(wo, T, SUFFIX, N, LENGTH_WRITE, VECTOR LETTER)                                       \
  IMAGE_WRITE(rw, T, SUFFIX, N, LENGTH_WRITE, VECTOR LETTER)
#define IMAGE_WORDS(T, LETTER, SUFFIX)                                                             \
  IMAGE_BLOCKS(T, LETTER, SUFFIX, , "29", "30", "")                                                \
  IMAGE_BLOCKS(T, LETTER, SUFFIX, 2, "30", "31", "Dv2_")                                           \
  IMAGE_BLOCKS(T, LETTER, SUFFIX, 4, "30", "31", "Dv4_")                                           \
  IMAGE_BLOCKS(T, LETTER, SUFFIX, 8, "30", "31", "Dv8_")
IMAGE_BLOCKS(uint, "j", , , "26", "27", "")
IMAGE_BLOCKS(uint, "j", , 2, "27", "28", "Dv2_")
IMAGE_BLOCKS(uint, "j", , 4, "27", "28", "Dv4_")
IMAGE_BLOCKS(uint, "j", , 8, "27", "28", "Dv8_")
IMAGE_WORDS(uint, "j", _ui)
IMAGE_WORDS(ushort, "t", _us)
IMAGE_WORDS(uchar, "h", _uc)
IMAGE_BLOCKS(uchar, "h", _uc, 16, "31", "32", "Dv16_")
IMAGE_WORDS(ulong, "m", _ul)
