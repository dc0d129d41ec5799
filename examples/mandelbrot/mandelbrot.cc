// SPDX-License-Identifier: Apache-2.0
// Frames of a flight into the Mandelbrot set; all accelerators of a platform draw parts of each.
#include "common/mandelbrot.h"

#include <cstdio>
#include <memory>
#include <string>

#include "common/command_line.h"
#include "common/device_choice.h"
#include "mandelbrot.cl.h"
#include "mandelbrot_pixel.h.h"

namespace {

using examples::Frame;

const std::string kUsage = std::string(
                               "Usage: mandelbrot [-f frames] [-o file] [-h]\nDraws the Mandelbrot "
                               "set, nearer and nearer.\n") +
                           examples::kMandelbrotOptions;

class Painter {
 public:
  Painter() {
    const cl::Platform platform(examples::choose_accelerator().getInfo<CL_DEVICE_PLATFORM>());
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ACCELERATOR, &devices);
    context_ = cl::Context(devices);
    std::printf("DEVICE LIST: \n");
    for (const cl::Device& device : devices) {
      std::printf("   %s\n", device.getInfo<CL_DEVICE_NAME>().c_str());
      queues_.emplace_back(context_, device);
    }
    std::printf("\n");
    cl::Program program(context_, std::string("#pragma OPENCL FP_CONTRACT OFF\n") +
                                      kMandelbrotPixelSource + kMandelbrotSource);
    program.build(devices);
    kernel_ = cl::Kernel(program, "mandelbrot");
    buffer_ = cl::Buffer(context_, CL_MEM_WRITE_ONLY, kBytes);
  }

  void draw(const Frame& frame, examples::Pixels& pixels) {
    kernel_.setArg(0, buffer_);
    kernel_.setArg(1, Frame::kSide);
    kernel_.setArg(2, frame.corner_x);
    kernel_.setArg(3, frame.corner_y);
    kernel_.setArg(4, frame.step);
    kernel_.setArg(5, Frame::kMostIterations);
    const size_t side = Frame::kSide, parts = queues_.size();
    for (size_t i = 0; i < parts; ++i) {
      const size_t begin = side * i / parts, end = side * (i + 1) / parts;
      queues_[i].enqueueNDRangeKernel(kernel_, cl::NDRange(0, begin),
                                      cl::NDRange(side, end - begin));
      const size_t offset = begin * side;
      queues_[i].enqueueReadBuffer(buffer_, CL_FALSE, offset * sizeof(cl_uint),
                                   (end - begin) * side * sizeof(cl_uint), &pixels[offset]);
      queues_[i].flush();
    }
    for (const cl::CommandQueue& queue : queues_) queue.finish();
  }

 private:
  static constexpr size_t kBytes = size_t{Frame::kSide} * Frame::kSide * sizeof(cl_uint);
  cl::Context context_;
  std::vector<cl::CommandQueue> queues_;
  cl::Kernel kernel_;
  cl::Buffer buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("mandelbrot", kUsage.c_str(), [&] {
    std::unique_ptr<Painter> painter;
    return examples::draw_frames(
        argc, argv, kUsage.c_str(), [&] { painter = std::make_unique<Painter>(); },
        [&](const Frame& frame, examples::Pixels& pixels) { painter->draw(frame, pixels); });
  });
}
