// SPDX-License-Identifier: Apache-2.0
// Frames of a flight into the Mandelbrot set, which two examples draw in different ways.
#ifndef CONCLAVE_EXAMPLES_COMMON_MANDELBROT_H_
#define CONCLAVE_EXAMPLES_COMMON_MANDELBROT_H_

#include <CL/opencl.hpp>
#include <functional>
#include <string>
#include <vector>

namespace examples {

// A square picture of that many pixels a side; `corner` is where pixel 0 is.
struct Frame {
  static constexpr int kSide = 720;
  static constexpr int kMostIterations = 500;
  double corner_x, corner_y, step;

  // Pixel (column, row), calculated by the host.
  cl_uint pixel(int column, int row) const;
};

using Pixels = std::vector<cl_uint>;

// Draws the frames that the command line asks for with `draw`, prints how fast that was, and checks
// a part of each frame. Returns the number of wrong pixels.
size_t draw_frames(int argc, char** argv, const char* usage, const std::function<void()>& prepare,
                   const std::function<void(const Frame&, Pixels&)>& draw);

inline constexpr char kMandelbrotOptions[] =
    "  -f  frames (1 to 1,000,000; default 20)\n"
    "  -o  write the last one to this file (PPM)";

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_MANDELBROT_H_
