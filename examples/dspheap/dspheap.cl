// SPDX-License-Identifier: Apache-2.0
// Heaps that kernels allocate from. They are in buffers that the host provides, and live as long as
// these do: what one kernel allocates, the next one may use and free.

__kernel void heap_init_ddr(__global void* memory, ulong bytes) {
  printf("DDR  heap pointer is %p\n", memory);
  __heap_init_ddr(memory, bytes);
}

__kernel void heap_init_msmc(__global void* memory, ulong bytes) {
  printf("MSMC heap pointer is %p\n", memory);
  __heap_init_msmc(memory, bytes);
}

// Each work-item allocates a block of both heaps, and leaves its number there.
__kernel void alloc_only(int bytes, __global ulong* ddr_blocks, __global ulong* msmc_blocks) {
  const int i = get_global_id(0);
  int* ddr = (int*)__malloc_ddr(bytes);
  int* msmc = (int*)__malloc_msmc(bytes);
  if (ddr) *ddr = i;
  if (msmc) *msmc = -i;
  ddr_blocks[i] = (ulong)ddr;
  msmc_blocks[i] = (ulong)msmc;
}

// Frees the blocks of the kernel above; `right` tells whether the numbers were still there.
__kernel void free_only(__global const ulong* ddr_blocks, __global const ulong* msmc_blocks,
                        __global int* right) {
  const int i = get_global_id(0);
  int* ddr = (int*)ddr_blocks[i];
  int* msmc = (int*)msmc_blocks[i];
  right[i] = ddr && msmc && *ddr == i && *msmc == -i;
  __free_ddr(ddr);
  __free_msmc(msmc);
}
