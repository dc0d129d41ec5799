// SPDX-License-Identifier: Apache-2.0
// TI's functions of the compute unit as C code calls them: linked into the programs whose C code
// does, and nothing but the macros of OpenCL C (ti_device.h), made functions.
#include <dsp_c.h>
#include <dsp_edmamgr.h>

typedef unsigned int uint;
typedef unsigned long ulong;

// abi::UnitAccess.
struct UnitAccess {
  ulong (*call)(void* unit, uint call, ulong a, ulong b, ulong c);
  void* unit;
  uint number, list_number;
};

// Returns the access to the compute unit that the calling thread is on. Whoever loads the program
// sets it.
__attribute__((visibility("default"))) const struct UnitAccess* (*conclave_unit_of_thread)(void);

static uint conclave_unit_number(void) {
  return conclave_unit_of_thread()->number;
}
static uint conclave_unit_list_number(void) {
  return conclave_unit_of_thread()->list_number;
}
static ulong conclave_device_call(uint call, ulong a, ulong b, ulong c) {
  const struct UnitAccess* access = conclave_unit_of_thread();
  return access->call(access->unit, call, a, b, c);
}

// Caches are coherent, and EdmaMgr needs no configuration.
#pragma clang diagnostic ignored "-Wunused-parameter"

#include "compiler/builtins/headers/ti_device.h"

#define CONCLAVE_FUNCTION  // not inline
#include "compiler/builtins/headers/dsp_edmamgr.h"

// A macro with parameters is none where no argument list follows its name.
#define FUNCTION(type, name, parameters, ...) \
  type(name) parameters {                     \
    return name(__VA_ARGS__);                 \
  }

FUNCTION(uint32_t, __core_num, (void))
FUNCTION(uint32_t, __local_core_num, (void))

FUNCTION(uint32_t, __clock, (void))
FUNCTION(uint64_t, __clock64, (void))
FUNCTION(uint32_t, __dsp_frequency, (void))
FUNCTION(void, __cycle_delay, (uint64_t cycles), cycles)

FUNCTION(void, __mfence, (void))
FUNCTION(void, __touch, (const void* memory, size_t size), memory, size)

FUNCTION(int, __cache_l1d_none, (void))
FUNCTION(int, __cache_l1d_4k, (void))
FUNCTION(int, __cache_l1d_8k, (void))
FUNCTION(int, __cache_l1d_16k, (void))
FUNCTION(int, __cache_l1d_all, (void))
FUNCTION(uint32_t, __cache_l1d_size, (void))
FUNCTION(void, __cache_l1d_flush, (void))
FUNCTION(int, __cache_l2_none, (void))
FUNCTION(int, __cache_l2_32k, (void))
FUNCTION(int, __cache_l2_64k, (void))
FUNCTION(int, __cache_l2_128k, (void))
FUNCTION(int, __cache_l2_256k, (void))
FUNCTION(int, __cache_l2_512k, (void))
FUNCTION(uint32_t, __cache_l2_size, (void))
FUNCTION(void, __cache_l2_flush, (void))
FUNCTION(void, __cache_l2_wbinv, (void* memory, size_t size), memory, size)
FUNCTION(void, __cache_l2_inv, (void* memory, size_t size), memory, size)

FUNCTION(void*, __scratch_l1d_start, (void))
FUNCTION(uint32_t, __scratch_l1d_size, (void))
FUNCTION(void*, __scratch_l2_start, (void))
FUNCTION(uint32_t, __scratch_l2_size, (void))

FUNCTION(void, __heap_init_ddr, (void* memory, size_t size), memory, size)
FUNCTION(void*, __malloc_ddr, (size_t size), size)
FUNCTION(void*, __calloc_ddr, (size_t count, size_t size), count, size)
FUNCTION(void*, __realloc_ddr, (void* memory, size_t size), memory, size)
FUNCTION(void, __free_ddr, (void* memory), memory)
FUNCTION(void*, __memalign_ddr, (size_t alignment, size_t size), alignment, size)
FUNCTION(void, __heap_init_msmc, (void* memory, size_t size), memory, size)
FUNCTION(void*, __malloc_msmc, (size_t size), size)
FUNCTION(void*, __calloc_msmc, (size_t count, size_t size), count, size)
FUNCTION(void*, __realloc_msmc, (void* memory, size_t size), memory, size)
FUNCTION(void, __free_msmc, (void* memory), memory)
FUNCTION(void*, __memalign_msmc, (size_t alignment, size_t size), alignment, size)
FUNCTION(void, __heap_init_l2, (void* memory, size_t size), memory, size)
FUNCTION(void*, __malloc_l2, (size_t size), size)

FUNCTION(int, EdmaMgr_copy1D1D, (EdmaMgr_Handle h, const void* src, void* dst, int num_bytes), h,
         src, dst, num_bytes)
FUNCTION(int, EdmaMgr_copy1D2D,
         (EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines, int pitch), h,
         src, dst, num_bytes, num_lines, pitch)
FUNCTION(int, EdmaMgr_copy2D1D,
         (EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines, int pitch), h,
         src, dst, num_bytes, num_lines, pitch)
FUNCTION(int, EdmaMgr_copy2D2D,
         (EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines, int pitch), h,
         src, dst, num_bytes, num_lines, pitch)
FUNCTION(int, EdmaMgr_copy2D2DSep,
         (EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines, int src_pitch,
          int dst_pitch),
         h, src, dst, num_bytes, num_lines, src_pitch, dst_pitch)
FUNCTION(int, EdmaMgr_copyFast, (EdmaMgr_Handle h, const void* src, void* dst), h, src, dst)
