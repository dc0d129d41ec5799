// SPDX-License-Identifier: Apache-2.0
// A convolution of rows, written in several ways, from one work-item for each number to double
// buffers in local memory and a C function.
#include <CL/opencl.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"
#include "conv1d.dsp_h"

namespace {

constexpr size_t kRows = 1080, kColumns = 1920, kWidth = kColumns + 4;
constexpr float kFilter[] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

class Convolution {
 public:
  Convolution() {
    for (size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<float>(i * 7919 % 1024);
    const double seconds = examples::seconds_of([&] {
      for (size_t i = 0; i < kRows; ++i)
        for (size_t j = 0; j < kColumns; ++j) {
          float sum = 0;
          for (size_t k = 0; k < 5; ++k) sum += in_[i * kWidth + j + k] * kFilter[k];
          expected_[i * kColumns + j] = sum;
        }
    });
    print_elapsed("host_compute", seconds);
  }

  // Runs a kernel and checks its result. With a number of rows, each work-group has that many
  // of them, and local memory for two.
  void check(const char* name, const cl::NDRange& global, size_t rows_of_group = 0) {
    cl::Kernel kernel(program_, name);
    kernel.setArg(0, buffer_in_);
    kernel.setArg(1, buffer_out_);
    kernel.setArg(2, buffer_filter_);
    kernel.setArg(3, static_cast<cl_int>(kColumns));
    if (rows_of_group) {
      kernel.setArg(4, static_cast<cl_int>(rows_of_group));
      kernel.setArg(5, cl::Local(2 * kWidth * sizeof(float)));
      kernel.setArg(6, cl::Local(2 * kColumns * sizeof(float)));
    }
    const cl::CommandQueue& queue = accelerator_.queue;
    queue.enqueueFillBuffer(buffer_out_, 0.0f, 0, out_.size() * sizeof(float));
    queue.finish();
    print_elapsed(name, examples::seconds_of([&] {
                    queue.enqueueNDRangeKernel(kernel, cl::NullRange, global,
                                               rows_of_group ? cl::NDRange(1) : cl::NullRange);
                    queue.finish();
                  }));
    queue.enqueueReadBuffer(buffer_out_, CL_TRUE, 0, out_.size() * sizeof(float), out_.data());
    for (size_t i = 0; i < out_.size(); ++i)
      if (!(std::abs(out_[i] - expected_[i]) <= 0.001f) && errors_++ < 12)
        std::printf("Result diff at %zu: expect %f, got %f\n", i, expected_[i], out_[i]);
  }

  size_t errors() const { return errors_; }

 private:
  static void print_elapsed(const std::string& name, double seconds) {
    std::printf("Elapsed (%s): %.0f usecs\n", name.c_str(), 1e6 * seconds);
  }

  examples::Accelerator accelerator_;
  cl::Program program_ = accelerator_.build(conv1d_dsp_bin, conv1d_dsp_bin_len);
  std::vector<float> in_ = std::vector<float>(kRows * kWidth),
                     out_ = std::vector<float>(kRows * kColumns), expected_ = out_;
  cl::Buffer buffer_in_{accelerator_.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                        in_.size() * sizeof(float), in_.data()};
  cl::Buffer buffer_out_{accelerator_.context, CL_MEM_WRITE_ONLY, out_.size() * sizeof(float)};
  cl::Buffer buffer_filter_{accelerator_.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            sizeof kFilter, const_cast<float*>(kFilter)};
  size_t errors_ = 0;
};

size_t run() {
  constexpr size_t kRowsOfGroup = 20;
  const cl::NDRange groups(kRows / kRowsOfGroup);
  Convolution convolution;
  convolution.check("k_baseline", cl::NDRange(kColumns, kRows));
  convolution.check("k_loop", cl::NDRange(kRows));
  convolution.check("k_loop_simd", cl::NDRange(kRows));
  convolution.check("k_loop_db", groups, kRowsOfGroup);
  convolution.check("k_loop_simd_db", groups, kRowsOfGroup);
  convolution.check("k_loop_simd_db_extc", groups, kRowsOfGroup);
  return examples::report(convolution.errors(), "Pass!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "conv1d", "Convolves rows in several ways.", run);
}
