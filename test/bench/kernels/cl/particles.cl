// SPDX-License-Identifier: Apache-2.0
// Particles that fall and bounce off the ground; w of the position is the mass, which only decides
// how much the air slows a particle down.
typedef struct {
  float4 position;
  float4 velocity;
} Particle;

__kernel void particles(__global Particle* particles, const float step) {
  const size_t i = get_global_id(0);
  Particle p = particles[i];
  p.velocity.y -= 9.81f * step;
  p.velocity.xyz *= 1.0f - 0.1f * step * p.position.w;
  p.position.xyz += p.velocity.xyz * step;
  if (p.position.y < 0.0f) {
    p.position.y = -p.position.y;
    p.velocity.y = -0.5f * p.velocity.y;
  }
  particles[i] = p;
}
