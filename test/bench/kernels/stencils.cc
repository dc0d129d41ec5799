// SPDX-License-Identifier: Apache-2.0
// Kernels that read an element's neighbours.
#include <algorithm>
#include <cmath>

#include "gaussian.cl.h"
#include "gaussian_image.cl.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "picture.h"
#include "sobel.cl.h"
#include "sobel_image.cl.h"
#include "stencil_5point.cl.h"
#include "stencil_7point.cl.h"

namespace bench {
namespace {

Problem stencil_5point() {
  const size_t width = sized(4096, 160), height = sized(4096, 144), count = width * height;
  const Array<float> in = random_floats(count, -1, 1), out(count);
  const auto expected = [=](size_t i) {
    const size_t x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return 0.0f;
    return 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  };
  return {kernel(stencil_5point_source, "stencil_5point", in, out, static_cast<cl_int>(width),
                 static_cast<cl_int>(height)),
          cl::NDRange(width, height),
          cl::NDRange(16, 16),
          static_cast<double>(count),
          [=] { out.fetch(); },
          [=] { compare(out, {1e-6}, expected); },
          [=] { limits::stencil_5point(in.data(), out.data(), width, height); }};
}

Problem stencil_7point() {
  constexpr float kCentre = 0.4f, kSide = 0.1f;
  const size_t width = sized(256, 64), height = sized(256, 32), depth = sized(256, 16);
  const size_t plane = width * height, count = plane * depth;
  const Array<float> in = random_floats(count, -1, 1), out(count);
  const auto expected = [=](size_t i) {
    const size_t x = i % width, y = i / width % height, z = i / plane;
    if (x == 0 || y == 0 || z == 0 || x == width - 1 || y == height - 1 || z == depth - 1)
      return 0.0f;
    return kCentre * in[i] + kSide * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] +
                                      in[i - plane] + in[i + plane]);
  };
  return {
      kernel(stencil_7point_source, "stencil_7point", in, out, kCentre, kSide),
      cl::NDRange(width, height, depth),
      cl::NDRange(32, 4, 1),
      static_cast<double>(count),
      [=] { out.fetch(); },
      [=] { compare(out, {1e-6}, expected); },
      [=] { limits::stencil_7point(in.data(), out.data(), kCentre, kSide, width, height, depth); }};
}

// A magnitude that is nearly a whole number may be rounded to either side.
Problem sobel() {
  const size_t width = sized(4096, 160), height = sized(4096, 144), count = width * height;
  const Array<uint8_t> in = random_integers<uint8_t>(count), out(count);
  const auto expected = [=](size_t i) {
    const size_t x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return 0;
    const auto weighted = [&](size_t first, size_t step) {
      return in[first] + 2 * in[first + step] + in[first + 2 * step];
    };
    const size_t corner = i - width - 1;
    const int horizontal = weighted(corner + 2, width) - weighted(corner, width);
    const int vertical = weighted(corner + 2 * width, 1) - weighted(corner, 1);
    return std::min(static_cast<int>(std::hypot(horizontal, vertical)), 255);
  };
  // The roots by hand are approximate, which shows if they are whole numbers.
  return {kernel(sobel_source, "sobel", in, out, static_cast<cl_int>(width),
                 static_cast<cl_int>(height)),
          cl::NDRange(width, height),
          cl::NDRange(16, 16),
          static_cast<double>(count),
          [=] { out.fetch(); },
          [=] { compare(out, {0, 7, 2e-3}, expected); },
          [=] { limits::sobel(in.data(), out.data(), width, height); }};
}

// What a Gaussian filter makes of `in`, going on beyond its edges.
auto filtered(const Array<float>& in, int width, int height) {
  return [=](size_t i) {
    constexpr double kWeights[] = {1, 4, 6, 4, 1};
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    double sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx)
        sum += kWeights[dy + 2] * kWeights[dx + 2] / 256 *
               in[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)];
    return sum;
  };
}

Problem gaussian() {
  const auto width = static_cast<int>(sized(2048, 160)),
             height = static_cast<int>(sized(2048, 144));
  const size_t count = static_cast<size_t>(width) * height;
  const Array<float> in = random_floats(count, -1, 1), out(count);
  const auto expected = filtered(in, width, height);
  return {kernel(gaussian_source, "gaussian", in, out, width, height),
          cl::NDRange(width, height),
          cl::NullRange,
          static_cast<double>(count),
          [=] { out.fetch(); },
          [=] { compare(out, {1e-6}, expected); },
          [=] { limits::gaussian(in.data(), out.data(), width, height); }};
}

Problem gaussian_image() {
  const auto width = static_cast<int>(sized(2048, 160)),
             height = static_cast<int>(sized(2048, 144));
  const size_t count = static_cast<size_t>(width) * height;
  const Array<float> in = random_floats(count, -1, 1), out(count);
  const Picture<float> from(in, CL_FLOAT, width, height), to(out, CL_FLOAT, width, height);
  const auto expected = filtered(in, width, height);
  return {kernel(gaussian_image_source, "gaussian_image", from.image(), to.image()),
          cl::NDRange(width, height),
          cl::NullRange,
          static_cast<double>(count),
          [=] { to.fetch(); },
          [=] { compare(out, {1e-6}, expected); },
          [=] { limits::gaussian(from.data(), to.data(), width, height); }};
}

// Shades from 0 to 1 in 8 bits, with a result at the edges too; rounded to the nearest one.
Problem sobel_image() {
  const size_t width = sized(4096, 160), height = sized(4096, 144), count = width * height;
  const Array<uint8_t> in = random_integers<uint8_t>(count), out(count);
  const Picture<uint8_t> from(in, CL_UNORM_INT8, width, height),
      to(out, CL_UNORM_INT8, width, height);
  const auto expected = [=](size_t i) {
    const auto x = static_cast<int>(i % width), y = static_cast<int>(i / width);
    const auto at = [&](int dx, int dy) {
      const int column = std::clamp(x + dx, 0, static_cast<int>(width) - 1);
      const int row = std::clamp(y + dy, 0, static_cast<int>(height) - 1);
      return static_cast<int>(in[static_cast<size_t>(row) * width + static_cast<size_t>(column)]);
    };
    const int horizontal =
        at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    const int vertical =
        at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    return std::min(std::lround(std::hypot(horizontal, vertical)), 255L);
  };
  return {kernel(sobel_image_source, "sobel_image", from.image(), to.image()),
          cl::NDRange(width, height),
          cl::NDRange(16, 16),
          static_cast<double>(count),
          [=] { to.fetch(); },
          [=] { compare(out, {0, 7}, expected); },
          [=] { limits::sobel_to_edge(from.data(), to.data(), width, height); }};
}

}  // namespace

KernelClass stencil_kernels() {
  return {"stencils and images",
          {{"stencil_5point", "M items/s", stencil_5point},
           {"stencil_7point", "M items/s", stencil_7point},
           {"sobel", "M items/s", sobel},
           {"gaussian", "M items/s", gaussian},
           {"sobel_image", "M items/s", sobel_image},
           {"gaussian_image", "M items/s", gaussian_image}}};
}

}  // namespace bench
