// SPDX-License-Identifier: Apache-2.0
// Spheres over a plane, found by walking along each ray as far as the distance to the nearest thing
// allows.
#define MAX_STEPS 96
#define NEAR 0.001f
#define FAR 30.0f

float distance_to_sphere(float3 p, float x, float y, float z, float radius) {
  return length(p - (float3)(x, y, z)) - radius;
}

float distance_to_scene(float3 p) {
  float nearest = p.y + 1.0f;
  nearest = fmin(nearest, distance_to_sphere(p, 0.0f, 0.0f, 0.0f, 1.0f));
  nearest = fmin(nearest, distance_to_sphere(p, 1.8f, -0.4f, 0.5f, 0.6f));
  nearest = fmin(nearest, distance_to_sphere(p, -1.7f, -0.3f, 1.0f, 0.7f));
  nearest = fmin(nearest, distance_to_sphere(p, 0.7f, -0.7f, -1.0f, 0.3f));
  nearest = fmin(nearest, distance_to_sphere(p, -0.8f, -0.8f, -1.2f, 0.2f));
  return nearest;
}

__kernel void ray_march(__global float* image) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int width = get_global_size(0), height = get_global_size(1);
  const float3 eye = (float3)(0.0f, 0.5f, -4.0f);
  const float3 ray = normalize((float3)((x + 0.5f - 0.5f * width) / height,
                                        (0.5f * height - y - 0.5f) / height, 1.0f));
  float way = 0.0f;
  float shade = 0.0f;
  for (int step = 0; step < MAX_STEPS; ++step) {
    const float3 p = eye + way * ray;
    const float d = distance_to_scene(p);
    if (d < NEAR) {
      // How fast the distance grows towards the light tells how much the surface faces it.
      const float3 light = (float3)(0.48f, 0.8f, -0.36f);
      shade = clamp((distance_to_scene(p + 0.01f * light) - d) * 100.0f, 0.05f, 1.0f);
      break;
    }
    way += d;
    if (way > FAR) break;
  }
  image[y * width + x] = shade;
}
