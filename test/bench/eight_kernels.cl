// SPDX-License-Identifier: Apache-2.0
// A program of the size and mix that applications build: loops, branches, local memory with
// barriers, vectors, atomics and mathematical functions. Each kernel writes one float for each of
// COUNT work-items in groups of GROUP; single_run.cc knows what.

__kernel void scale(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  out[i] = 2.0f * in[i] + 1.0f;
}

__kernel void wave(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  const float s = sin(in[i]), c = cos(in[i]);
  out[i] = sqrt(s * s + c * c);
}

__kernel void growth(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  out[i] = log(exp(in[i]));
}

__kernel void iterate(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  float root = 1.0f + in[i];
  for (int step = 0; step < 20; ++step) root = 0.5f * (root + in[i] / root);
  out[i] = root;
}

__kernel void collatz(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  uint value = i + 1, steps = 0;
  while (value != 1) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    ++steps;
  }
  out[i] = (float)steps;
}

__kernel void group_sum(__global const float* in, __global float* out) {
  __local float partial[GROUP];
  const uint local_id = get_local_id(0);
  partial[local_id] = in[get_global_id(0)];
  for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < reach) partial[local_id] += partial[local_id + reach];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = partial[0];
}

__kernel void rotate4(__global const float* in, __global float* out) {
  const uint i = get_global_id(0);
  const float4 v = vload4(i / 4, in);
  const float4 turned = v.yzwx;
  const float picked[4] = {turned.x, turned.y, turned.z, turned.w};
  out[i] = picked[i % 4];
}

__kernel void histogram(__global const float* in, __global float* out) {
  __local int bins[4];
  const uint local_id = get_local_id(0);
  if (local_id < 4) bins[local_id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int bin = clamp(convert_int_rte(in[get_global_id(0)] * 4.0f - 0.5f), 0, 3);
  atomic_inc(&bins[bin]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = (float)(bins[0] + bins[1] + bins[2] + bins[3]);
}
