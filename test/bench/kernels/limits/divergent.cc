// SPDX-License-Identifier: Apache-2.0
// A pack goes on until all its lanes are done.
#include "limits.h"
#include "pack.h"
#include "parallel.h"

namespace bench::limits {

// Two packs at once hide the latency of the arithmetic.
void mandelbrot(int32_t* iterations, int width, int height, int limit) {
  constexpr int kPacks = 2, kStep = kPacks * static_cast<int>(kLanes);
  parallel(static_cast<size_t>(height), 1, [=](size_t row, size_t) {
    const float cy = -1.5f + 3.0f * static_cast<float>(row) / static_cast<float>(height);
    for (int column = 0; column < width; column += kStep) {
      Floats cx[kPacks], x[kPacks]{}, y[kPacks]{};
      Ints n[kPacks]{}, going[kPacks] = {~Ints{}, ~Ints{}};
      for (int p = 0; p < kPacks; ++p)
        cx[p] = 3.0f * to_floats(lane_numbers<Ints>() + column + p * static_cast<int>(kLanes)) /
                    static_cast<float>(width) -
                2.0f;
      for (int k = 0; k < limit; ++k) {
#pragma GCC unroll 2
        for (int p = 0; p < kPacks; ++p) {
          const Floats xx = x[p] * x[p], yy = y[p] * y[p];
          going[p] &= xx + yy <= 4.0f;
          n[p] -= going[p];
          y[p] = 2.0f * x[p] * y[p] + cy;
          x[p] = xx - yy + cx[p];
        }
        if (!any(going[0] | going[1])) break;
      }
      for (int p = 0; p < kPacks; ++p)
        store(iterations + row * static_cast<size_t>(width) + column + p * kLanes, n[p]);
    }
  });
}

// Four packs at once, until all are done.
void collatz(int32_t* steps, size_t count) {
  constexpr size_t kPacks = 4;
  parallel(count, kPacks * kLongLanes, [=](size_t begin, size_t) {
    Ulongs n[kPacks];
    Longs done[kPacks]{}, going;
    for (size_t p = 0; p < kPacks; ++p)
      n[p] = lane_numbers<Ulongs>() + (begin + p * kLongLanes + 1);
    do {
      going = Longs{};
#pragma GCC unroll 4
      for (size_t p = 0; p < kPacks; ++p) {
        const Longs active = n[p] != 1, odd = (n[p] & 1) == 1;
        const Ulongs next = odd ? n[p] + (n[p] + n[p] + 1) : n[p] >> 1;
        n[p] = active ? next : n[p];
        done[p] -= active;
        going |= active;
      }
    } while (any(going));
    for (size_t p = 0; p < kPacks; ++p)
      for (size_t lane = 0; lane < kLongLanes; ++lane)
        steps[begin + p * kLongLanes + lane] = static_cast<int32_t>(done[p][lane]);
  });
}

namespace {

Floats distance_to_scene(Floats x, Floats y, Floats z, const Sphere* spheres, int count) {
  Floats nearest = y + 1.0f;
  for (int s = 0; s < count; ++s) {
    const Floats dx = x - spheres[s].x, dy = y - spheres[s].y, dz = z - spheres[s].z;
    const Floats squared = dx * dx + dy * dy + dz * dz;
    const Floats distance = squared * rsqrt(squared) - spheres[s].radius;
    nearest = distance < nearest ? distance : nearest;
  }
  return nearest;
}

Floats shade_of(Floats x, Floats y, Floats z, Floats distance, const Sphere* spheres, int count) {
  const Floats grown =
      distance_to_scene(x + 0.0048f, y + 0.008f, z - 0.0036f, spheres, count) - distance;
  Floats shade = grown * 100.0f;
  shade = shade > 0.05f ? shade : Floats{} + 0.05f;
  return shade < 1.0f ? shade : Floats{} + 1.0f;
}

}  // namespace

void ray_march(float* image, int width, int height, const Sphere* spheres, int count) {
  constexpr int kMaxSteps = 96;
  constexpr float kNear = 0.001f, kFar = 30.0f, kEyeY = 0.5f, kEyeZ = -4.0f;
  const auto pixels = static_cast<float>(height);
  parallel(static_cast<size_t>(height), 1, [=](size_t row, size_t) {
    for (int column = 0; column < width; column += static_cast<int>(kLanes)) {
      Floats x =
          (to_floats(lane_numbers<Ints>() + column) + 0.5f - 0.5f * static_cast<float>(width)) /
          pixels;
      Floats y = Floats{} + (0.5f * pixels - static_cast<float>(row) - 0.5f) / pixels;
      const Floats length = rsqrt(x * x + y * y + 1.0f), z = length;
      x *= length;
      y *= length;
      Floats way{}, shade{};
      Ints going = ~Ints{};
      for (int step = 0; step < kMaxSteps && any(going); ++step) {
        const Floats px = way * x, py = kEyeY + way * y, pz = kEyeZ + way * z;
        const Floats d = distance_to_scene(px, py, pz, spheres, count);
        const Ints hit = going & (d < kNear);
        if (any(hit)) shade = hit ? shade_of(px, py, pz, d, spheres, count) : shade;
        way += d;
        going &= ~hit & (way <= kFar);
      }
      store(image + row * static_cast<size_t>(width) + column, shade);
    }
  });
}

// How much of the table is left depends on its size only, so that all of a block's searches go on
// in step and without branches; their loads overlap.
void binary_search(const int32_t* table, int table_size, const int32_t* keys, int32_t* places,
                   size_t count) {
  constexpr size_t kBlock = 16;
  parallel(count, kBlock * 64, [=](size_t begin, size_t end) {
    for (size_t first = begin; first < end; first += kBlock) {
      int32_t low[kBlock] = {};
      for (int left = table_size; left > 1; left -= left / 2)
#pragma GCC unroll 16
        for (size_t i = 0; i < kBlock; ++i)
          low[i] += table[low[i] + left / 2 - 1] < keys[first + i] ? left / 2 : 0;
      for (size_t i = 0; i < kBlock; ++i)
        places[first + i] = low[i] + (table[low[i]] < keys[first + i] ? 1 : 0);
    }
  });
}

// A row at a time; the compiler may use gathers. Other formats of the matrix would be faster.
void spmv(const int32_t* row_starts, const int32_t* columns, const float* values, const float* x,
          float* y, size_t rows) {
  parallel(rows, 512, [=](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      float sum = 0;
      for (int32_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
        sum += values[k] * x[columns[k]];
      y[row] = sum;
    }
  });
}

}  // namespace bench::limits
