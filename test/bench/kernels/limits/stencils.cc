// SPDX-License-Identifier: Apache-2.0
// Row by row; the compiler makes vectors of the inner loops.
#include <algorithm>
#include <cmath>

#include "limits.h"
#include "parallel.h"

namespace bench::limits {

void stencil_5point(const float* in, float* out, size_t width, size_t height) {
  parallel(height, 16, [=](size_t begin, size_t end) {
    for (size_t y = std::max<size_t>(begin, 1); y < std::min(end, height - 1); ++y) {
      const float *here = in + y * width, *above = here - width, *below = here + width;
      float* to = out + y * width;
#pragma omp simd
      for (size_t x = 1; x < width - 1; ++x)
        to[x] = 0.5f * here[x] + 0.125f * (here[x - 1] + here[x + 1] + above[x] + below[x]);
    }
  });
}

void stencil_7point(const float* in, float* out, float centre, float side, size_t width,
                    size_t height, size_t depth) {
  const size_t plane = width * height;
  parallel(depth, 1, [=](size_t z, size_t) {
    if (z == 0 || z == depth - 1) return;
    for (size_t y = 1; y < height - 1; ++y) {
      const float *here = in + z * plane + y * width, *above = here - width, *below = here + width;
      const float *before = here - plane, *behind = here + plane;
      float* to = out + z * plane + y * width;
#pragma omp simd
      for (size_t x = 1; x < width - 1; ++x)
        to[x] = centre * here[x] +
                side * (here[x - 1] + here[x + 1] + above[x] + below[x] + before[x] + behind[x]);
    }
  });
}

void sobel(const uint8_t* in, uint8_t* out, size_t width, size_t height) {
  parallel(height, 16, [=](size_t begin, size_t end) {
    for (size_t y = std::max<size_t>(begin, 1); y < std::min(end, height - 1); ++y) {
      const uint8_t *here = in + y * width, *above = here - width, *below = here + width;
      uint8_t* to = out + y * width;
#pragma omp simd
      for (size_t x = 1; x < width - 1; ++x) {
        const int horizontal = above[x + 1] + 2 * here[x + 1] + below[x + 1] - above[x - 1] -
                               2 * here[x - 1] - below[x - 1];
        const int vertical =
            below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] - 2 * above[x] - above[x + 1];
        const auto squared = static_cast<float>(horizontal * horizontal + vertical * vertical);
        to[x] = static_cast<uint8_t>(std::min(static_cast<int>(std::sqrt(squared)), 255));
      }
    }
  });
}

// All elements, also those at the edges; rounded to the nearest number.
void sobel_to_edge(const uint8_t* in, uint8_t* out, size_t width, size_t height) {
  parallel(height, 16, [=](size_t begin, size_t end) {
    for (size_t y = begin; y < end; ++y) {
      const uint8_t* here = in + y * width;
      const uint8_t* above = y > 0 ? here - width : here;
      const uint8_t* below = y + 1 < height ? here + width : here;
      uint8_t* to = out + y * width;
      const auto magnitude = [=](size_t left, size_t x, size_t right) {
        const int horizontal = above[right] + 2 * here[right] + below[right] - above[left] -
                               2 * here[left] - below[left];
        const int vertical =
            below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
        const auto squared = static_cast<float>(horizontal * horizontal + vertical * vertical);
        return static_cast<uint8_t>(std::min(static_cast<int>(std::sqrt(squared) + 0.5f), 255));
      };
      to[0] = magnitude(0, 0, 1);
#pragma omp simd
      for (size_t x = 1; x < width - 1; ++x) to[x] = magnitude(x - 1, x, x + 1);
      to[width - 1] = magnitude(width - 2, width - 1, width - 1);
    }
  });
}

// All 25 products for each element, as in the kernel; the same filter by rows and then by columns
// would take 10.
void gaussian(const float* in, float* out, int width, int height) {
  static constexpr float kWeights[3][3] = {{36, 24, 6}, {24, 16, 4}, {6, 4, 1}};
  parallel(static_cast<size_t>(height), 8, [=](size_t begin, size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      const float* rows[5];
      for (int d = 0; d < 5; ++d)
        rows[d] = in + static_cast<size_t>(std::clamp(y + d - 2, 0, height - 1)) * width;
      float* to = out + static_cast<size_t>(y) * width;
      const auto edge = [&](int x) {
        float sum = 0;
        for (int dy = -2; dy <= 2; ++dy)
          for (int dx = -2; dx <= 2; ++dx)
            sum += kWeights[std::abs(dy)][std::abs(dx)] *
                   rows[dy + 2][std::clamp(x + dx, 0, width - 1)];
        to[x] = sum / 256;
      };
      const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
#pragma omp simd
      for (int x = 2; x < width - 2; ++x) {
        const auto line = [x](const float* r, float outer, float inner, float middle) {
          return outer * (r[x - 2] + r[x + 2]) + inner * (r[x - 1] + r[x + 1]) + middle * r[x];
        };
        to[x] = (line(r0, 1, 4, 6) + line(r1, 4, 16, 24) + line(r2, 6, 24, 36) +
                 line(r3, 4, 16, 24) + line(r4, 1, 4, 6)) *
                (1.0f / 256);
      }
      for (const int x : {0, 1, width - 2, width - 1}) edge(x);
    }
  });
}

}  // namespace bench::limits
