// SPDX-License-Identifier: Apache-2.0
// C functions that kernels of the tests call, and that call TI's functions of the compute unit.
#include <dsp_c.h>
#include <dsp_edmamgr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

uint32_t c_core_num(void) {
  return __core_num();
}
uint32_t c_local_core_num(void) {
  return __local_core_num();
}

// How many cycles a delay of 20000 took; 0 if the clocks differ.
uint32_t c_delay(void) {
  const uint64_t begin = __clock64();
  const uint32_t low = __clock();
  __cycle_delay(20000);
  const uint32_t cycles = (uint32_t)(__clock64() - begin);
  return __clock() - low >= 20000 ? cycles : 0;
}
uint32_t c_frequency(void) {
  return __dsp_frequency();
}

// Which of these is not so, as a bit.
uint32_t c_caches(void* memory) {
  uint32_t wrong = 0;
  wrong |= (uint32_t)(__cache_l1d_size() != 32 << 10) << 0;
  wrong |= (uint32_t)(__scratch_l1d_size() != 0) << 1;
  wrong |= (uint32_t)(!__cache_l1d_4k() || __cache_l1d_size() != 4 << 10) << 2;
  wrong |= (uint32_t)(!__cache_l1d_8k() || __scratch_l1d_size() != 24 << 10) << 3;
  memset(__scratch_l1d_start(), 5, __scratch_l1d_size());
  __cache_l1d_flush();
  wrong |= (uint32_t)(!__cache_l1d_16k() || !__cache_l1d_none() || !__cache_l1d_all()) << 4;
  wrong |= (uint32_t)(!__cache_l2_512k() || __scratch_l2_size() != 512 << 10) << 5;
  wrong |= (uint32_t)(!__cache_l2_32k() || !__cache_l2_64k() || !__cache_l2_256k()) << 6;
  wrong |= (uint32_t)(!__cache_l2_none() || __scratch_l2_size() != 1 << 20) << 7;
  wrong |= (uint32_t)(!__cache_l2_128k() || __cache_l2_size() != 128 << 10) << 8;
  __cache_l2_wbinv(memory, 4);
  __cache_l2_inv(memory, 4);
  __cache_l2_flush();
  __mfence();
  __touch(memory, 4);
  return wrong;
}

void* c_scratch(void) {
  memset(__scratch_l2_start(), 7, __scratch_l2_size());
  return __scratch_l2_start();
}

void c_init(void* ddr, void* msmc, size_t bytes) {
  __heap_init_ddr(ddr, bytes);
  __heap_init_msmc(msmc, bytes);
}

// A block with the work-item's number in each word.
uint32_t* c_take(uint32_t item, uint32_t words) {
  uint32_t* block = item % 2 ? __malloc_ddr(4 * words) : __malloc_msmc(4 * words);
  for (uint32_t i = 0; block && i < words; ++i) block[i] = item;
  return block;
}

// How many words of it are not what c_take() wrote.
uint32_t c_give(uint32_t item, uint32_t* block, uint32_t words) {
  uint32_t wrong = 0;
  block = item % 2 ? __realloc_ddr(block, 8 * words) : __realloc_msmc(block, 8 * words);
  if (!block) return words;
  for (uint32_t i = 0; i < words; ++i) wrong += block[i] != item;
  if (item % 2)
    __free_ddr(block);
  else
    __free_msmc(block);
  return wrong;
}

// The same again with the other functions, whose results come as pointers too.
uint32_t c_other_blocks(void) {
  void* (*const allocate[])(size_t, size_t) = {__calloc_ddr, __calloc_msmc, __memalign_ddr,
                                               __memalign_msmc};
  uint32_t wrong = 0;
  for (int i = 0; i < 4; ++i) {
    char* block = allocate[i](256, 10);
    wrong |= (uint32_t)(!block || (i < 2 ? block[2559] != 0 : (uintptr_t)block % 256 != 0)) << i;
    if (i % 2)
      __free_msmc(block);
    else
      __free_ddr(block);
  }
  return wrong;
}

void c_init_local(void* memory, size_t bytes) {
  __heap_init_l2(memory, bytes);
}
uint32_t* c_take_local(void) {
  return __malloc_l2(4);
}

// Whether `lines` lines of `bytes` bytes lie there.
static int are_lines(const char* a, int a_pitch, const char* b, int b_pitch, int bytes, int lines) {
  for (int i = 0; i < lines; ++i)
    if (memcmp(a + i * a_pitch, b + i * b_pitch, (size_t)bytes) != 0) return 0;
  return 1;
}

// Which copies from `from` to `to`, of 128 bytes, go wrong.
uint32_t c_copies(const char* from, char* to) {
  EdmaMgr_Handle h = EdmaMgr_alloc(2);
  uint32_t wrong = EdmaMgr_init(0, NULL) != EdmaMgr_SUCCESS || !h;
#define CHECK(bit, copied, ...)                                              \
  wrong |= (uint32_t)((copied) != EdmaMgr_SUCCESS || !(__VA_ARGS__)) << bit; \
  memset(to, 0, 128)
  CHECK(1, EdmaMgr_copy1D1D(h, from, to, 10), are_lines(from, 0, to, 0, 10, 1));
  CHECK(2, EdmaMgr_copyFast(h, from + 3, to), are_lines(from + 3, 0, to, 0, 10, 1));
  CHECK(3, EdmaMgr_copy1D2D(h, from, to, 3, 4, 5), are_lines(from, 3, to, 5, 3, 4));
  CHECK(4, EdmaMgr_copy2D1D(h, from, to, 3, 4, 6), are_lines(from, 6, to, 3, 3, 4));
  CHECK(5, EdmaMgr_copy2D2D(h, from, to, 2, 3, 4), are_lines(from, 4, to, 4, 2, 3));
  CHECK(6, EdmaMgr_copy2D2DSep(h, from, to, 2, 3, 7, 4), are_lines(from, 7, to, 4, 2, 3));
  void *src[] = {(void*)from, (void*)(from + 50)}, *dst[] = {to, to + 64};
  int bytes[] = {4, 5}, lines[] = {3, 2}, a[] = {6, 7}, b[] = {9, 8};
#define CHECK_LINKED(bit, copied, a_pitch, b_pitch)          \
  CHECK(bit, copied,                                         \
        are_lines(from, a_pitch[0], to, b_pitch[0], 4, 3) && \
            are_lines(from + 50, a_pitch[1], to + 64, b_pitch[1], 5, 2))
  CHECK(7, EdmaMgr_copy1D1DLinked(h, src, dst, bytes, 2),
        are_lines(from + 50, 0, to + 64, 0, 5, 1));
  CHECK_LINKED(8, EdmaMgr_copy1D2DLinked(h, src, dst, bytes, lines, b, 2), bytes, b);
  CHECK_LINKED(9, EdmaMgr_copy2D1DLinked(h, src, dst, bytes, lines, a, 2), a, bytes);
  CHECK_LINKED(10, EdmaMgr_copy2D2DLinked(h, src, dst, bytes, lines, a, 2), a, a);
  CHECK_LINKED(11, EdmaMgr_copy2D2DSepLinked(h, src, dst, bytes, lines, a, b, 2), a, b);
  CHECK_LINKED(12, EdmaMgr_copyLinkedFast(h, src, dst, 2), a, b);
  EdmaMgr_wait(h);
  wrong |= (uint32_t)(EdmaMgr_free(h) != EdmaMgr_SUCCESS) << 13;
  wrong |= (uint32_t)(EdmaMgr_free(h) != EdmaMgr_ERROR_INVHANDLE) << 14;
  return wrong;
}

// Runs on a thread that is on no compute unit.
static void* look_around(void* result) {
  uint32_t wrong = 0;
  wrong |= (uint32_t)(__core_num() != UINT32_MAX || __local_core_num() != UINT32_MAX) << 1;
  wrong |= (uint32_t)(__cache_l1d_size() || __scratch_l2_size() || __scratch_l2_start()) << 2;
  wrong |= (uint32_t)(__cache_l2_none() != 0) << 3;
  char memory[64];
  __heap_init_l2(memory, sizeof memory);
  wrong |= (uint32_t)(__malloc_l2(4) != NULL) << 4;
  wrong |= (uint32_t)(__dsp_frequency() == 0 || __clock64() == 0) << 5;
  void* block = __malloc_ddr(100);
  wrong |= (uint32_t)(!block) << 6;
  __free_ddr(block);
  EdmaMgr_Handle h = EdmaMgr_alloc(1);
  char copy[4] = "";
  wrong |= (uint32_t)(EdmaMgr_copy1D1D(h, "abc", copy, 4) || strcmp(copy, "abc")) << 7;
  EdmaMgr_free(h);
  *(uint32_t*)result = wrong;
  return NULL;
}

uint32_t c_other_thread(void) {
  uint32_t wrong = 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, look_around, &wrong) == 0) pthread_join(thread, NULL);
  return wrong;
}
