// SPDX-License-Identifier: Apache-2.0
// Each work-item adds sixteen elements.
__kernel void vecadd(__global const short16* a, __global const short16* b, __global short16* c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
