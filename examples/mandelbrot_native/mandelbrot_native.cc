// SPDX-License-Identifier: Apache-2.0
// Frames of a flight into the Mandelbrot set, drawn by native kernels: functions of the host
// program as commands of an out-of-order queue.
#include "common/command_line.h"
#include "common/example.h"
#include "common/mandelbrot.h"

#include <memory>

namespace {

using examples::Frame;

const std::string kUsage =
    std::string(
        "Usage: mandelbrot_native [-f frames] [-o file] [-h]\n"
        "Draws the Mandelbrot set, nearer and nearer, with native kernels.\n") +
    examples::kMandelbrotOptions;

struct Row {
  const Frame* frame;
  cl_uint* pixels;
  int row;
};

void CL_CALLBACK draw_row(void* argument) {
  const auto* row = static_cast<const Row*>(argument);
  for (int column = 0; column < Frame::kSide; ++column)
    row->pixels[row->row * Frame::kSide + column] = row->frame->pixel(column, row->row);
}

struct Painter {
  examples::Accelerator accelerator;
  cl::CommandQueue queue{accelerator.context, accelerator.device, cl::QueueProperties::OutOfOrder};

  void draw(const Frame& frame, examples::Pixels& pixels) {
    for (int row = 0; row < Frame::kSide; ++row) {
      Row argument{&frame, pixels.data(), row};
      queue.enqueueNativeKernel(draw_row, {&argument, sizeof argument});
    }
    queue.finish();
  }
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("mandelbrot_native", kUsage.c_str(), [&] {
    std::unique_ptr<Painter> painter;
    return examples::draw_frames(
        argc, argv, kUsage.c_str(), [&] { painter = std::make_unique<Painter>(); },
        [&](const Frame& frame, examples::Pixels& pixels) { painter->draw(frame, pixels); });
  });
}
