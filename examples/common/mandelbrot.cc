// SPDX-License-Identifier: Apache-2.0
#include "common/mandelbrot.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "common/command_line.h"
#include "common/matrices.h"

namespace examples {
namespace {

using uint = cl_uint;
#include "common/mandelbrot_pixel.h"

constexpr double kCentreX = -0.743643887037158704752191506114774;
constexpr double kCentreY = 0.131825904205311970493132056385139;
constexpr double kRange = 4, kZoom = 1.1;

Frame make_frame(double range) {
  return {kCentreX - range / 2, kCentreY - range / 2, range / Frame::kSide};
}

// A prime number of pixels apart, so that all columns and rows have their turn.
size_t count_errors(const Frame& frame, const Pixels& pixels) {
  size_t errors = 0;
  for (size_t i = 0; i < pixels.size(); i += 997) {
    const int column = static_cast<int>(i % Frame::kSide), row = static_cast<int>(i / Frame::kSide);
    const cl_uint expected = frame.pixel(column, row);
    if (pixels[i] != expected && errors++ < 5)
      std::printf("Error [%d,%d]: %06x <==> %06x\n", column, row, pixels[i], expected);
  }
  return errors;
}

void write_file(const std::string& path, const Pixels& pixels) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << Frame::kSide << ' ' << Frame::kSide << "\n255\n";
  for (cl_uint pixel : pixels)
    for (int shift : {0, 8, 16}) file.put(static_cast<char>(pixel >> shift));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

cl_uint Frame::pixel(int column, int row) const {
  return mandelbrot_pixel(corner_x + column * step, corner_y + row * step, kMostIterations);
}

size_t draw_frames(int argc, char** argv, const char* usage, const std::function<void()>& prepare,
                   const std::function<void(const Frame&, Pixels&)>& draw) {
  size_t frames = 20;
  std::string path;
  bool help = false;
  for_each_option(argc, argv, "f:o:h", [&](char option, const char* value) {
    if (option == 'f') frames = parse_size(option, value);
    if (option == 'o') path = value;
    if (option == 'h') help = true;
  });
  if (help) {
    std::printf("%s\n", usage);
    return 0;
  }
  prepare();
  Pixels pixels(size_t{Frame::kSide} * Frame::kSide);
  double total = 0, range = kRange;
  size_t errors = 0;
  for (size_t frame = 1; frame <= frames; ++frame, range /= kZoom) {
    const Frame view = make_frame(range);
    const double seconds = seconds_of([&] { draw(view, pixels); });
    total += seconds;
    std::printf("Frame: %zu, \tFPS: %5.2f, \tZoom: %.3g\n", frame, 1 / seconds, kRange / range);
    errors += count_errors(view, pixels);
  }
  std::printf("Total Time Generating frames: %8.4f secs\n", total);
  if (!path.empty()) write_file(path, pixels);
  return errors;
}

}  // namespace examples
