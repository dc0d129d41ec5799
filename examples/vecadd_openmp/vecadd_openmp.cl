// SPDX-License-Identifier: Apache-2.0
void vadd(__global const float* a, __global const float* b, __global float* sum, int n);  // in C

// Enqueued as a task: C's threads are all there is.
__kernel void vadd_wrapper(__global const float* a, __global const float* b, __global float* sum,
                           int n) {
  vadd(a, b, sum, n);
}
