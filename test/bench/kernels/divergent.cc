// SPDX-License-Identifier: Apache-2.0
// Kernels whose work-items take different ways.
#include <algorithm>
#include <cmath>

#include "binary_search.cl.h"
#include "collatz.cl.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "mandelbrot.cl.h"
#include "ray_march.cl.h"
#include "spmv.cl.h"

namespace bench {
namespace {

// Rounding moves the edge of the set: some points leave sooner or later.
Problem mandelbrot() {
  constexpr int kLimit = 256;
  const int width = static_cast<int>(sized(1024, 128)), height = static_cast<int>(sized(768, 96));
  const Array<int32_t> iterations(static_cast<size_t>(width) * height);
  const auto expected = [=](size_t i) {
    const float cx = -2 + 3 * static_cast<float>(i % width) / static_cast<float>(width);
    const float cy = -1.5f + 3 * static_cast<float>(i / width) / static_cast<float>(height);
    float x = 0, y = 0;
    int n = 0;
    for (; n < kLimit && x * x + y * y <= 4; ++n) {
      const float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return n;
  };
  return {kernel(mandelbrot_source, "mandelbrot", iterations, width, height, kLimit),
          cl::NDRange(width, height),
          cl::NullRange,
          static_cast<double>(iterations.size()),
          [=] { iterations.fetch(); },
          [=] { compare(iterations, {0, 7, 0.02}, expected); },
          [=] { limits::mandelbrot(iterations.data(), width, height, kLimit); }};
}

Problem collatz() {
  const size_t count = sized(512 << 10, 1 << 12);
  const Array<int32_t> steps(count);
  const auto expected = [](size_t i) {
    int count = 0;
    for (uint64_t n = i + 1; n != 1; ++count) n = n % 2 == 1 ? 3 * n + 1 : n / 2;
    return count;
  };
  return {kernel(collatz_source, "collatz", steps),
          cl::NDRange(count),
          cl::NDRange(128),
          static_cast<double>(count),
          [=] { steps.fetch(); },
          [=] { compare(steps, {0, 7}, expected); },
          [=] { limits::collatz(steps.data(), count); }};
}

// The kernel's spheres.
constexpr limits::Sphere kSpheres[] = {{0, 0, 0, 1},
                                       {1.8f, -0.4f, 0.5f, 0.6f},
                                       {-1.7f, -0.3f, 1, 0.7f},
                                       {0.7f, -0.7f, -1, 0.3f},
                                       {-0.8f, -0.8f, -1.2f, 0.2f}};

struct Point {
  double x, y, z;
  Point along(const Point& way, double length) const {
    return {x + way.x * length, y + way.y * length, z + way.z * length};
  }
};

double distance_to_scene(const Point& p) {
  double nearest = p.y + 1;
  for (const auto& s : kSpheres)
    nearest = std::min(nearest, std::hypot(p.x - s.x, p.y - s.y, p.z - s.z) - s.radius);
  return nearest;
}

double traced(double x, double y) {
  const double length = std::hypot(x, y, 1.0);
  const Point ray{x / length, y / length, 1 / length}, eye{0, 0.5, -4}, light{0.48, 0.8, -0.36};
  double way = 0;
  for (int step = 0; step < 96 && way <= 30; ++step) {
    const Point p = eye.along(ray, way);
    const double d = distance_to_scene(p);
    if (d < 0.001)
      return std::clamp((distance_to_scene(p.along(light, 0.01)) - d) * 100, 0.05, 1.0);
    way += d;
  }
  return 0;
}

// At the edges of the spheres rounding decides what a ray hits. Elsewhere the shade is a difference
// of distances, times 100, in single precision.
Problem ray_march() {
  const size_t width = sized(640, 64), height = sized(480, 48);
  const Array<float> image(width * height);
  const auto expected = [=](size_t i) {
    const auto x = static_cast<double>(i % width), y = static_cast<double>(i / width);
    const auto w = static_cast<double>(width), h = static_cast<double>(height);
    return traced((x + 0.5 - 0.5 * w) / h, (0.5 * h - y - 0.5) / h);
  };
  return {kernel(ray_march_source, "ray_march", image),
          cl::NDRange(width, height),
          cl::NDRange(16, 16),
          static_cast<double>(width * height),
          [=] { image.fetch(); },
          [=] { compare(image, {0.01, 7, 0.02}, expected); },
          [=] {
            limits::ray_march(image.data(), static_cast<int>(width), static_cast<int>(height),
                              kSpheres, std::size(kSpheres));
          }};
}

Problem binary_search() {
  const size_t table_size = sized((1 << 20) - 77, (1 << 12) - 77), count = sized(1 << 20, 1 << 12);
  const Array<int32_t> table = [=] {
    Values<int32_t> values = random_integers<int32_t>(table_size).values();
    std::sort(values.begin(), values.end());
    return Array<int32_t>(std::move(values));
  }();
  const Array<int32_t> keys = random_integers<int32_t>(count, 2), places(count);
  const auto expected = [=](size_t i) {
    const auto& values = table.values();
    return std::lower_bound(values.begin(), values.end(), keys[i]) - values.begin();
  };
  const auto size = static_cast<cl_int>(table_size);
  return {kernel(binary_search_source, "binary_search", table, size, keys, places),
          cl::NDRange(count),
          cl::NDRange(64),
          static_cast<double>(count),
          [=] { places.fetch(); },
          [=] { compare(places, {0, 7}, expected); },
          [=] { limits::binary_search(table.data(), size, keys.data(), places.data(), count); }};
}

// Rows of 0 to 32 elements anywhere.
Problem spmv() {
  const size_t rows = sized(256 << 10, 1 << 12) - 5;
  Values<int32_t> starts{0}, columns;
  std::mt19937 generator(1);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t left = generator() % 33; left > 0; --left)
      columns.push_back(static_cast<int32_t>(generator() % rows));
    starts.push_back(static_cast<int32_t>(columns.size()));
  }
  const size_t elements = columns.size();
  const Array<int32_t> row_starts(std::move(starts)), column(std::move(columns));
  const Array<float> values = random_floats(elements, -1, 1), x = random_floats(rows, -1, 1, 2),
                     y(rows);
  const auto expected = [=](size_t row) {
    double sum = 0;
    for (int32_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
      sum += double{values[k]} * x[column[k]];
    return sum;
  };
  return {kernel(spmv_source, "spmv", row_starts, column, values, x, y, static_cast<cl_int>(rows)),
          cl::NDRange(rows + 5),
          cl::NDRange(64),
          2.0 * static_cast<double>(elements),
          [=] { y.fetch(); },
          [=] { compare(y, {1e-5}, expected); },
          [=] {
            limits::spmv(row_starts.data(), column.data(), values.data(), x.data(), y.data(), rows);
          }};
}

}  // namespace

KernelClass divergent_kernels() {
  return {"divergent",
          {{"mandelbrot", "M items/s", mandelbrot},
           {"collatz", "M items/s", collatz},
           {"ray_march", "M items/s", ray_march},
           {"binary_search", "M items/s", binary_search},
           {"spmv", "GFLOP/s", spmv}}};
}

}  // namespace bench
