// SPDX-License-Identifier: Apache-2.0
__kernel void saxpy(const float a, __global const float* x, __global float* y, const uint count) {
  const uint i = get_global_id(0);
  if (i < count) y[i] += a * x[i];
}
