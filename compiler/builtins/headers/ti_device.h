// SPDX-License-Identifier: Apache-2.0
// TI's functions of the compute unit (its "DSP core"), for OpenCL C. Every program has them without
// including anything, as with TI's compiler; as macros, which cost those nothing that do without.
// docs/ti.md says what they do here.
//
// Pointers from them are `void*`: to private memory before OpenCL C 2.0, as in TI's header, to
// generic memory since. Pointers that they are given may be to any memory.
#ifndef CONCLAVE_TI_DEVICE_H_
#define CONCLAVE_TI_DEVICE_H_

#define __TI_OCL 1
#define __TI_OCL_VERSION 0x01020000

uint conclave_unit_number(void);
uint conclave_unit_list_number(void);
ulong conclave_device_call(uint call, ulong a, ulong b, ulong c);

enum {
#define CONCLAVE_DEVICE_CALL(name) conclave_##name,
#include <conclave/device_calls.def>
#undef CONCLAVE_DEVICE_CALL
  conclave_l1d = 1,
  conclave_l2 = 2,
  conclave_ddr = 0,
  conclave_msmc = 1,
  conclave_local = 2,
};

#define CONCLAVE_CALL(call, a, b, c) conclave_device_call(conclave_##call, a, b, c)

// The compute unit's number in the device, and in the list of those that the process uses.
#define __core_num() conclave_unit_number()
#define __local_core_num() conclave_unit_list_number()

// Time, in cycles of a clock that has the device's frequency (in MHz).
#define __clock64() CONCLAVE_CALL(kClock, 0, 0, 0)
#define __clock() ((uint)__clock64())
#define __dsp_frequency() ((uint)CONCLAVE_CALL(kClockMhz, 0, 0, 0))
#define __cycle_delay(cycles) ((void)CONCLAVE_CALL(kDelay, cycles, 0, 0))

// All earlier accesses of memory happen before all later ones.
#define __mfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
// Brings memory into the caches.
#define __touch(memory, size) ((void)CONCLAVE_CALL(kTouch, (ulong)(memory), size, 0))

// The share of each cache's memory that is a cache; the rest of it is scratch memory. Setting a
// size is 0 where it is more than there is.
#define CONCLAVE_SET_CACHE(level, bytes) ((int)CONCLAVE_CALL(kSetCacheSize, level, bytes, 0))
#define __cache_l1d_none() CONCLAVE_SET_CACHE(conclave_l1d, 0)
#define __cache_l1d_4k() CONCLAVE_SET_CACHE(conclave_l1d, 4 << 10)
#define __cache_l1d_8k() CONCLAVE_SET_CACHE(conclave_l1d, 8 << 10)
#define __cache_l1d_16k() CONCLAVE_SET_CACHE(conclave_l1d, 16 << 10)
#define __cache_l1d_all() CONCLAVE_SET_CACHE(conclave_l1d, 32 << 10)
#define __cache_l1d_size() ((uint)CONCLAVE_CALL(kCacheSize, conclave_l1d, 0, 0))
#define __cache_l1d_flush() __mfence()
#define __scratch_l1d_start() ((void*)CONCLAVE_CALL(kScratchStart, conclave_l1d, 0, 0))
#define __scratch_l1d_size() ((uint)CONCLAVE_CALL(kScratchSize, conclave_l1d, 0, 0))
#define __cache_l2_none() CONCLAVE_SET_CACHE(conclave_l2, 0)
#define __cache_l2_32k() CONCLAVE_SET_CACHE(conclave_l2, 32 << 10)
#define __cache_l2_64k() CONCLAVE_SET_CACHE(conclave_l2, 64 << 10)
#define __cache_l2_128k() CONCLAVE_SET_CACHE(conclave_l2, 128 << 10)
#define __cache_l2_256k() CONCLAVE_SET_CACHE(conclave_l2, 256 << 10)
#define __cache_l2_512k() CONCLAVE_SET_CACHE(conclave_l2, 512 << 10)
#define __cache_l2_size() ((uint)CONCLAVE_CALL(kCacheSize, conclave_l2, 0, 0))
#define __cache_l2_flush() __mfence()
#define __cache_l2_wbinv(memory, size) __mfence()
#define __cache_l2_inv(memory, size) __mfence()
#define __scratch_l2_start() ((void*)CONCLAVE_CALL(kScratchStart, conclave_l2, 0, 0))
#define __scratch_l2_size() ((uint)CONCLAVE_CALL(kScratchSize, conclave_l2, 0, 0))

// Heaps in memory that the program provides.
#define CONCLAVE_HEAP_INIT(heap, memory, size) \
  ((void)CONCLAVE_CALL(kHeapInit, heap, (ulong)(memory), size))
#define CONCLAVE_ALLOCATE(heap, size, alignment) \
  ((void*)CONCLAVE_CALL(kHeapAllocate, heap, size, alignment))
#define CONCLAVE_CALLOCATE(heap, count, size) \
  ((void*)CONCLAVE_CALL(kHeapCallocate, heap, count, size))
#define CONCLAVE_REALLOCATE(heap, memory, size) \
  ((void*)CONCLAVE_CALL(kHeapReallocate, heap, (ulong)(memory), size))
#define CONCLAVE_FREE(heap, memory) ((void)CONCLAVE_CALL(kHeapFree, heap, (ulong)(memory), 0))
#define __heap_init_ddr(memory, size) CONCLAVE_HEAP_INIT(conclave_ddr, memory, size)
#define __malloc_ddr(size) CONCLAVE_ALLOCATE(conclave_ddr, size, 1)
#define __calloc_ddr(count, size) CONCLAVE_CALLOCATE(conclave_ddr, count, size)
#define __realloc_ddr(memory, size) CONCLAVE_REALLOCATE(conclave_ddr, memory, size)
#define __free_ddr(memory) CONCLAVE_FREE(conclave_ddr, memory)
#define __memalign_ddr(alignment, size) CONCLAVE_ALLOCATE(conclave_ddr, size, alignment)
#define __heap_init_msmc(memory, size) CONCLAVE_HEAP_INIT(conclave_msmc, memory, size)
#define __malloc_msmc(size) CONCLAVE_ALLOCATE(conclave_msmc, size, 1)
#define __calloc_msmc(count, size) CONCLAVE_CALLOCATE(conclave_msmc, count, size)
#define __realloc_msmc(memory, size) CONCLAVE_REALLOCATE(conclave_msmc, memory, size)
#define __free_msmc(memory) CONCLAVE_FREE(conclave_msmc, memory)
#define __memalign_msmc(alignment, size) CONCLAVE_ALLOCATE(conclave_msmc, size, alignment)
#define __heap_init_l2(memory, size) CONCLAVE_HEAP_INIT(conclave_local, memory, size)
#define __malloc_l2(size) CONCLAVE_ALLOCATE(conclave_local, size, 1)

#endif  // CONCLAVE_TI_DEVICE_H_
