// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for memory. As in STREAM, bytes that are read and written count, but not
// what a cache reads before it writes.
#include "copy.cl.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "matrix_add.cl.h"
#include "particles.cl.h"
#include "saxpy.cl.h"
#include "transpose_naive.cl.h"
#include "transpose_tiled.cl.h"
#include "triad.cl.h"

namespace bench {
namespace {

size_t stream_size() {
  return sized(16 << 20, 1 << 16);
}

double traffic(size_t arrays, size_t count) {
  return static_cast<double>(arrays * sizeof(float) * count);
}

Problem copy() {
  const size_t count = stream_size();
  const Array<float> in = random_floats(count, -1, 1), out(count);
  return {kernel(copy_source, "copy", in, out),
          cl::NDRange(count),
          cl::NDRange(256),
          traffic(2, count),
          [=] { out.fetch(); },
          [=] { compare(out, {}, [=](size_t i) { return in[i]; }); },
          [=] { limits::copy(in.data(), out.data(), count); }};
}

Problem triad() {
  constexpr float kFactor = 3;
  const size_t count = stream_size();
  const Array<float> a = random_floats(count, -1, 1), b = random_floats(count, -1, 1, 2), c(count);
  return {kernel(triad_source, "triad", a, b, c, kFactor),
          cl::NDRange(count),
          cl::NDRange(256),
          traffic(3, count),
          [=] { c.fetch(); },
          [=] { compare(c, {1e-6}, [=](size_t i) { return a[i] + kFactor * b[i]; }); },
          [=] { limits::triad(a.data(), b.data(), c.data(), kFactor, count); }};
}

// The number of elements is no multiple of anything, and the implementation chooses the groups.
Problem saxpy() {
  constexpr float kA = 0.5f;
  const size_t count = stream_size() - 3;
  const Array<float> x = random_floats(count, -1, 1), y = random_floats(count, -1, 1, 2);
  const auto before = std::make_shared<Values<float>>(y.values());
  return {kernel(saxpy_source, "saxpy", kA, x, y, static_cast<cl_uint>(count)),
          cl::NDRange(stream_size()),
          cl::NullRange,
          traffic(3, count),
          [=] { y.fetch(); },
          [=] { compare(y, {1e-6}, [=](size_t i) { return (*before)[i] + kA * x[i]; }); },
          [=] { limits::saxpy(kA, x.data(), y.data(), count); }};
}

Problem transpose(const char* source, const char* name) {
  const size_t width = sized(3008, 160), height = sized(2992, 144), count = width * height;
  const Array<float> in = random_floats(count, -1, 1), out(count);
  return {kernel(source, name, in, out, static_cast<cl_int>(width), static_cast<cl_int>(height)),
          cl::NDRange(width, height),
          cl::NDRange(16, 16),
          traffic(2, count),
          [=] { out.fetch(); },
          [=] { compare(out, {}, [=](size_t i) { return in[i % height * width + i / height]; }); },
          [=] { limits::transpose(in.data(), out.data(), width, height); }};
}

// Rows in dimension 0, as sources often have them that know nothing of lanes.
Problem matrix_add() {
  const size_t rows = sized(3008, 160), columns = sized(2992, 144), count = rows * columns;
  const Array<float> a = random_floats(count, -1, 1), b = random_floats(count, -1, 1, 2), c(count);
  return {kernel(matrix_add_source, "matrix_add", a, b, c, static_cast<cl_int>(columns)),
          cl::NDRange(rows, columns),
          cl::NDRange(16, 16),
          traffic(3, count),
          [=] { c.fetch(); },
          [=] { compare(c, {}, [=](size_t i) { return a[i] + b[i]; }); },
          [=] { limits::add(a.data(), b.data(), c.data(), count); }};
}

// What the kernel does to one component, 0 to 2, of position or velocity.
float moved(const limits::Particle& p, bool velocity, int axis, float step) {
  float v = p.velocity[axis] - (axis == 1 ? 9.81f * step : 0);
  v *= 1 - 0.1f * step * p.position[3];
  const float x = p.position[axis] + v * step;
  const bool bounces = axis == 1 && x < 0;
  if (velocity) return bounces ? -0.5f * v : v;
  return bounces ? -x : x;
}

Problem particles() {
  constexpr float kStep = 0.01f;
  const size_t count = sized(2 << 20, 1 << 13);
  const Array<float> data = random_floats(8 * count, 0.001f, 1);
  const auto before = std::make_shared<Values<float>>(data.values());
  const auto expected = [=](size_t i) {
    const auto* all = reinterpret_cast<const limits::Particle*>(before->data());
    return i % 4 == 3 ? (*before)[i] : moved(all[i / 8], i % 8 >= 4, i % 4, kStep);
  };
  return {
      kernel(particles_source, "particles", data, kStep), cl::NDRange(count), cl::NDRange(128),
      traffic(2, 8 * count), [=] { data.fetch(); },
      // Where rounding decides about a bounce, the position is about 0 all the same, but not the
      // velocity.
      [=] { compare(data, {1e-5, 1, 1e-5}, expected); },
      [=] { limits::particles(reinterpret_cast<limits::Particle*>(data.data()), kStep, count); }};
}

}  // namespace

KernelClass streaming_kernels() {
  return {"streaming",
          {{"copy", "GB/s", copy},
           {"triad", "GB/s", triad},
           {"saxpy", "GB/s", saxpy},
           {"transpose_naive", "GB/s",
            [] { return transpose(transpose_naive_source, "transpose_naive"); }},
           {"transpose_tiled", "GB/s",
            [] { return transpose(transpose_tiled_source, "transpose_tiled"); }},
           {"matrix_add", "GB/s", matrix_add},
           {"particles", "GB/s", particles}}};
}

}  // namespace bench
