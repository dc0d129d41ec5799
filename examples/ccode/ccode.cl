// SPDX-License-Identifier: Apache-2.0
float sort_numbers(__global float* numbers, int n);  // in ccode.c

// Each work-item has a part of `count` numbers.
__kernel void sort_parts(__global float* numbers, int count, __global float* distances) {
  const size_t i = get_global_id(0);
  distances[i] = sort_numbers(numbers + i * count, count);
}
