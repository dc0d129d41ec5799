// SPDX-License-Identifier: Apache-2.0
// w of a body is its mass.
__kernel void nbody(__global const float4* bodies, __global float4* accelerations, const int count,
                    const float softening) {
  const int i = get_global_id(0);
  const float4 me = bodies[i];
  float3 sum = (float3)(0.0f);
  for (int j = 0; j < count; ++j) {
    const float4 other = bodies[j];
    const float3 d = other.xyz - me.xyz;
    const float squared = d.x * d.x + d.y * d.y + d.z * d.z + softening;
    const float inverse = rsqrt(squared);
    sum += d * (other.w * inverse * inverse * inverse);
  }
  accelerations[i] = (float4)(sum, 0.0f);
}
