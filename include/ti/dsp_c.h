// SPDX-License-Identifier: Apache-2.0
// TI's functions of the compute unit (its "DSP core"), for C code that is linked with kernels. They
// become part of the program. docs/ti.md says what they do, docs/c-code.md on which threads.
#ifdef __OPENCL_VERSION__
// In OpenCL C the compiler has them in a header of its own.
#include_next <dsp_c.h>
#elif !defined(CONCLAVE_TI_DSP_C_H_)
#define CONCLAVE_TI_DSP_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t __core_num(void);
uint32_t __local_core_num(void);

uint32_t __clock(void);
uint64_t __clock64(void);
uint32_t __dsp_frequency(void);
void __cycle_delay(uint64_t cycles);

void __mfence(void);
void __touch(const void* memory, size_t size);

int __cache_l1d_none(void);
int __cache_l1d_4k(void);
int __cache_l1d_8k(void);
int __cache_l1d_16k(void);
int __cache_l1d_all(void);
uint32_t __cache_l1d_size(void);
void __cache_l1d_flush(void);
int __cache_l2_none(void);
int __cache_l2_32k(void);
int __cache_l2_64k(void);
int __cache_l2_128k(void);
int __cache_l2_256k(void);
int __cache_l2_512k(void);
uint32_t __cache_l2_size(void);
void __cache_l2_flush(void);
void __cache_l2_wbinv(void* memory, size_t size);
void __cache_l2_inv(void* memory, size_t size);

void* __scratch_l1d_start(void);
uint32_t __scratch_l1d_size(void);
void* __scratch_l2_start(void);
uint32_t __scratch_l2_size(void);

void __heap_init_ddr(void* memory, size_t size);
void* __malloc_ddr(size_t size);
void* __calloc_ddr(size_t count, size_t size);
void* __realloc_ddr(void* memory, size_t size);
void __free_ddr(void* memory);
void* __memalign_ddr(size_t alignment, size_t size);
void __heap_init_msmc(void* memory, size_t size);
void* __malloc_msmc(size_t size);
void* __calloc_msmc(size_t count, size_t size);
void* __realloc_msmc(void* memory, size_t size);
void __free_msmc(void* memory);
void* __memalign_msmc(size_t alignment, size_t size);
void __heap_init_l2(void* memory, size_t size);
void* __malloc_l2(size_t size);

#ifdef __cplusplus
}
#endif

#endif  // CONCLAVE_TI_DSP_C_H_
