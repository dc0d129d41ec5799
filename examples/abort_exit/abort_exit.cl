// SPDX-License-Identifier: Apache-2.0
// How a kernel ends: 0 comes to its end, 1 aborts, 2 exits. So does its work-item in the middle.
__kernel void end(int how, __global int* out) {
  const size_t i = get_global_id(0);
  if (i == get_global_size(0) / 2) {
    if (how == 1) abort();
    if (how == 2) exit(1);
  }
  out[i] = i;
}
