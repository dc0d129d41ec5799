// SPDX-License-Identifier: Apache-2.0
// All of these wait for memory; what a cache need not keep goes past it.
#include "limits.h"
#include "pack.h"
#include "parallel.h"

namespace bench::limits {
namespace {
constexpr size_t kGrain = 1 << 16;
}

void copy(const float* in, float* out, size_t count) {
  parallel(count, kGrain, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += kLanes) stream(out + i, load<Floats>(in + i));
  });
}

void triad(const float* a, const float* b, float* c, float factor, size_t count) {
  parallel(count, kGrain, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += kLanes)
      stream(c + i, load<Floats>(a + i) + factor * load<Floats>(b + i));
  });
}

void saxpy(float a, const float* x, float* y, size_t count) {
  parallel(count, kGrain, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) y[i] += a * x[i];
  });
}

void add(const float* a, const float* b, float* c, size_t count) {
  parallel(count, kGrain, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += kLanes)
      stream(c + i, load<Floats>(a + i) + load<Floats>(b + i));
  });
}

// By squares of 16 x 16, which are transposed in registers, so that whole lines of the caches are
// read and written.
void transpose(const float* in, float* out, size_t width, size_t height) {
  constexpr size_t kSide = 16;
  parallel(height, kSide, [=](size_t row, size_t) {
    for (size_t column = 0; column < width; column += kSide)
      for (size_t x = column; x < column + kSide; x += 8) {
        Eight upper[8], lower[8];
        for (size_t y = 0; y < 8; ++y) {
          upper[y] = load<Eight>(in + (row + y) * width + x);
          lower[y] = load<Eight>(in + (row + y + 8) * width + x);
        }
        transpose(upper);
        transpose(lower);
        for (size_t k = 0; k < 8; ++k) {
          stream(out + (x + k) * height + row, upper[k]);
          stream(out + (x + k) * height + row + 8, lower[k]);
        }
      }
  });
}

void particles(Particle* particles, float step, size_t count) {
  using Four = float __attribute__((vector_size(16)));
  parallel(count, kGrain / 8, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Particle& p = particles[i];
      Four position = load<Four>(p.position), velocity = load<Four>(p.velocity);
      velocity -= Four{0, 9.81f * step, 0, 0};
      const float slower = 1 - 0.1f * step * position[3];
      velocity *= Four{slower, slower, slower, 1};
      position += velocity * Four{step, step, step, 0};
      if (position[1] < 0) {
        position *= Four{1, -1, 1, 1};
        velocity *= Four{1, -0.5f, 1, 1};
      }
      store(p.position, position);
      store(p.velocity, velocity);
    }
  });
}

}  // namespace bench::limits
