// SPDX-License-Identifier: Apache-2.0
// A program as applications have it: helper functions, structures, several kernels.
typedef struct {
  float4 position;
  float4 velocity;
  int kind;
  int next;
} Particle;

float luminance(uchar4 pixel) {
  return dot(convert_float3(pixel.xyz), (float3)(0.2126f, 0.7152f, 0.0722f)) / 255.0f;
}

kernel void blur(global const uchar4* in, global uchar4* out, int width, int height,
                 constant float* weights, int radius) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      int2 at = clamp((int2)(x + dx, y + dy), (int2)(0), (int2)(width - 1, height - 1));
      sum += weights[abs(dx)] * weights[abs(dy)] * convert_float4(in[at.y * width + at.x]);
    }
  out[y * width + x] = convert_uchar4_sat_rte(sum);
}

kernel void edges(global const uchar4* in, global float* out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float gx = 0, gy = 0;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    for (int d = -1; d <= 1; ++d) {
      float weight = d == 0 ? 2 : 1;
      gx += weight * (luminance(in[(y + d) * width + x + 1]) - luminance(in[(y + d) * width + x - 1]));
      gy += weight * (luminance(in[(y + 1) * width + x + d]) - luminance(in[(y - 1) * width + x + d]));
    }
  }
  out[y * width + x] = hypot(gx, gy);
}

kernel void move(global Particle* particles, float dt, float4 low, float4 high, int steps) {
  Particle p = particles[get_global_id(0)];
  for (int step = 0; step < steps; ++step) {
    p.position += p.velocity * dt;
    if (p.kind == 1) p.velocity *= 0.99f;
    else if (p.kind == 2) p.velocity = p.velocity.yzxw;
    if (any(p.position < low) || any(p.position > high)) p.velocity = -p.velocity;
  }
  particles[get_global_id(0)] = p;
}

kernel void extremes(global const float* in, global float2* out, local float2* part, int n) {
  int i = get_local_id(0);
  float2 own = (float2)(INFINITY, -INFINITY);
  for (int j = get_global_id(0); j < n; j += get_global_size(0))
    own = (float2)(fmin(own.x, in[j]), fmax(own.y, in[j]));
  part[i] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (i < step)
      part[i] = (float2)(fmin(part[i].x, part[i + step].x), fmax(part[i].y, part[i + step].y));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) out[get_group_id(0)] = part[0];
}
