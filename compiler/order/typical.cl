// SPDX-License-Identifier: Apache-2.0
// The compiler's functions are ordered by the build of this program. It has what most programs have:
// arithmetic of each kind, loops, branches, local memory and barriers, vectors, structures, atomics,
// images, builtins.

typedef struct {
  float4 position;
  float mass;
  int kind;
} Body;

static float attraction(float4 offset, float mass) {
  const float distance = dot(offset, offset) + 1e-6f;
  return mass * rsqrt(distance * distance * distance);
}

kernel void bodies(global Body* all, const uint count, const float step) {
  const size_t i = get_global_id(0);
  if (i >= count) return;
  float4 sum = (float4)(0);
  for (uint j = 0; j < count; ++j) {
    const float4 offset = all[j].position - all[i].position;
    sum += offset * attraction(offset, all[j].mass);
  }
  all[i].position += sum * step;
}

kernel void product(global const float* a, global const float* b, global float* c, const int n) {
  local float tile_a[8][8], tile_b[8][8];
  const int x = get_local_id(0), y = get_local_id(1);
  float sum = 0;
  for (int begin = 0; begin < n; begin += 8) {
    tile_a[y][x] = a[get_global_id(1) * n + begin + x];
    tile_b[y][x] = b[(begin + y) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(1) * n + get_global_id(0)] = sum;
}

kernel void count(global const uchar* bytes, global uint* bins, const ulong length) {
  for (ulong i = get_global_id(0); i < length; i += get_global_size(0))
    atomic_inc(&bins[bytes[i] >> 2]);
}

kernel void functions(global const float* in, global float* out, global double* wide) {
  const int i = get_global_id(0);
  float x = in[i];
  switch (i & 3) {
    case 0: x = sin(x) + atan2(x, 2.0f); break;
    case 1: x = exp(x) * pow(x, 1.5f); break;
    case 2: x = log(fabs(x)) / 3; break;
    default: x = clamp(x, 0.0f, 1.0f);
  }
  out[i] = x;
  wide[i] = sqrt((double)x) + convert_int_rte(x) % 7;
}

kernel void blur(read_only image2d_t in, write_only image2d_t out) {
  const sampler_t nearest =
      CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = (float4)(0);
  for (int dx = -1; dx <= 1; ++dx) sum += read_imagef(in, nearest, place + (int2)(dx, 0));
  write_imagef(out, place, sum / 3);
}
