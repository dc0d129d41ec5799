// SPDX-License-Identifier: Apache-2.0
// Single-precision matrix product on all compute units of an accelerator, checked against OpenBLAS.
// The program is part of this one, compiled before by clocl.
#include <CL/opencl.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "common/blocked_product.h"
#include "common/command_line.h"
#include "common/device_choice.h"
#include "common/matrices.h"
#include "common/reference_product.h"
#include "sgemm_16.dsp_h"
#include "sgemm_4.dsp_h"
#include "sgemm_8.dsp_h"

namespace {

using Problem = examples::Product<float>;
using Operands = examples::Operands<float>;

constexpr char kUsage[] =
    "Usage: sgemm [-M rows] [-K terms] [-N columns] [-or|-oc] [-r] [-d] [-x] [-h]\n"
    "  C[M,N] = alpha * A[M,K] * B[K,N] + beta * C[M,N]\n"
    "  -M  rows of C and A                  (1 to 1,000,000)\n"
    "  -K  columns of A, rows of B          (1 to 1,000,000)\n"
    "  -N  columns of C and B               (1 to 1,000,000)\n"
    "      default for all three: the largest power of two that fits the device, at most 2048\n"
    "  -o  storage order: r row-major, c column-major (default)\n"
    "  -r  random input data\n"
    "  -d  do not check the result\n"
    "  -x  extended check: many shapes, orders and factors besides\n"
    "  -h  this text\n"
    "The exit status is the number of errors (255 for more).";

struct Options {
  size_t m = 0, n = 0, k = 0;  // 0: the default
  bool row_major = false, random = false, check = true, extended = false, help = false;
};

Options parse(int argc, char** argv) {
  Options options;
  examples::for_each_option(argc, argv, "o:M:K:N:hdrx", [&](char option, const char* value) {
    switch (option) {
      case 'M':
        options.m = examples::parse_size(option, value);
        break;
      case 'K':
        options.k = examples::parse_size(option, value);
        break;
      case 'N':
        options.n = examples::parse_size(option, value);
        break;
      case 'o':
        options.row_major = examples::parse_row_major(option, value);
        break;
      case 'r':
        options.random = true;
        break;
      case 'd':
        options.check = false;
        break;
      case 'x':
        options.extended = true;
        break;
      case 'h':
        options.help = true;
        break;
    }
  });
  return options;
}

// Three square matrices of that size fit the device's memory.
size_t default_size(const cl::Device& device) {
  const double elements =
      static_cast<double>(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()) / 3 / sizeof(float);
  return std::bit_floor(static_cast<size_t>(std::min(std::sqrt(elements), 2048.0)));
}

size_t position(const Problem& problem, size_t rows, size_t columns, size_t i, size_t j) {
  return problem.row_major ? i * columns + j : j * rows + i;
}

// Matrices of up to 64 rows and 16 columns are worth looking at.
void print_if_small(const char* name, const Problem& problem, const std::vector<float>& matrix,
                    size_t rows, size_t columns) {
  if (rows > 64 || columns > 16) return;
  std::printf("%s:\n", name);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j)
      std::printf("%8.3f ", static_cast<double>(matrix[position(problem, rows, columns, i, j)]));
    std::printf("\n");
  }
}

// Counts the elements that differ, and prints the first twelve.
size_t count_errors(const Problem& problem, const std::vector<float>& result,
                    const std::vector<float>& expected) {
  constexpr size_t kPrinted = 12;
  size_t errors = 0;
  for (size_t i = 0; i < problem.m; ++i)
    for (size_t j = 0; j < problem.n; ++j) {
      const size_t at = position(problem, problem.m, problem.n, i, j);
      if (examples::close_enough(problem, result[at], expected[at])) continue;
      if (errors++ < kPrinted)
        std::printf("Error [%zu,%zu]: %f <==> %f\n", i, j, static_cast<double>(result[at]),
                    static_cast<double>(expected[at]));
    }
  return errors;
}

// The program for the device's vectors, of those that are part of this one.
cl::Program embedded_program(const cl::Context& context, const cl::Device& device) {
  const size_t width = examples::BlockedProduct<float>::vector_width(device);
  const auto make = [&](const char* binary, size_t size) {
    cl::Program program(context, {device}, {{binary, binary + size}});
    program.build({device});
    return program;
  };
  if (width == 16) return make(sgemm_16_dsp_bin, sgemm_16_dsp_bin_len);
  if (width == 8) return make(sgemm_8_dsp_bin, sgemm_8_dsp_bin_len);
  return make(sgemm_4_dsp_bin, sgemm_4_dsp_bin_len);
}

// What runs products on the device: C lives in device memory that the host maps.
class Device {
 public:
  explicit Device(const cl::Device& device)
      : context_(device),
        queue_(context_, device),
        product_(context_, device, embedded_program(context_, device)) {}

  // Leaves the result in operands.c; returns the seconds that the kernels took.
  double multiply(const Problem& problem, Operands& operands) {
    cl::Buffer a(context_, CL_MEM_READ_ONLY, problem.a_size() * sizeof(float));
    cl::Buffer b(context_, CL_MEM_READ_ONLY, problem.b_size() * sizeof(float));
    cl::Buffer c(context_, CL_MEM_READ_WRITE, problem.c_size() * sizeof(float));
    fill(a, operands.a);
    fill(b, operands.b);
    fill(c, operands.c);
    product_.reserve(queue_, problem);
    queue_.finish();
    const double seconds = examples::seconds_of([&] {
      product_.enqueue(queue_, problem, a, b, c);
      queue_.finish();
    });
    const auto* mapped = map(c, operands.c, CL_MAP_READ);
    std::copy_n(mapped, operands.c.size(), operands.c.begin());
    unmap(c, mapped);
    return seconds;
  }

 private:
  float* map(const cl::Buffer& buffer, const std::vector<float>& matrix, cl_map_flags flags) {
    return static_cast<float*>(
        queue_.enqueueMapBuffer(buffer, CL_TRUE, flags, 0, matrix.size() * sizeof(float)));
  }
  void unmap(const cl::Buffer& buffer, const float* mapped) {
    queue_.enqueueUnmapMemObject(buffer, const_cast<float*>(mapped));
    queue_.finish();
  }
  void fill(const cl::Buffer& buffer, const std::vector<float>& matrix) {
    float* mapped = map(buffer, matrix, CL_MAP_WRITE_INVALIDATE_REGION);
    std::copy(matrix.begin(), matrix.end(), mapped);
    unmap(buffer, mapped);
  }

  cl::Context context_;
  cl::CommandQueue queue_;
  examples::BlockedProduct<float> product_;
};

size_t run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.help) {
    std::printf("%s\n", kUsage);
    return 0;
  }
  const cl::Device cl_device = examples::choose_accelerator();
  const size_t size = default_size(cl_device);
  Problem problem;
  problem.m = options.m ? options.m : size;
  problem.n = options.n ? options.n : size;
  problem.k = options.k ? options.k : size;
  problem.alpha = 0.8f;
  problem.beta = 0.2f;
  problem.row_major = options.row_major;
  examples::require_room(problem, cl_device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());

  std::printf("C[%zu,%zu] = alpha * A[%zu,%zu] * B[%zu,%zu] + beta * C[%zu,%zu], use %s storage\n",
              problem.m, problem.n, problem.m, problem.k, problem.k, problem.n, problem.m,
              problem.n, problem.row_major ? "row-major" : "col-major");
  std::printf("alpha=%f, beta=%f\n\n", static_cast<double>(problem.alpha),
              static_cast<double>(problem.beta));
  std::printf("Generating Input Data ...");
  std::fflush(stdout);
  Operands operands(problem);
  examples::fill(operands, options.random);
  std::vector<float> expected = options.check ? operands.c : std::vector<float>();
  std::printf("Complete\n");
  print_if_small("A", problem, operands.a, problem.m, problem.k);
  print_if_small("B", problem, operands.b, problem.k, problem.n);

  Device device(cl_device);
  const double seconds = device.multiply(problem, operands);
  std::printf("%4u CUs : %.3f Gflops (%.6f s) \n", cl_device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
              problem.operations() / seconds * 1e-9, seconds);
  print_if_small("C", problem, operands.c, problem.m, problem.n);
  if (!options.check) return 0;

  const double reference_seconds = examples::seconds_of([&] {
    examples::reference_product(problem, operands.a.data(), operands.b.data(), expected.data(), 1);
  });
  std::printf("   1 CPU : %.3f Gflops (%.6f s) with OpenBLAS library\n",
              problem.operations() / reference_seconds * 1e-9, reference_seconds);

  size_t errors = count_errors(problem, operands.c, expected);
  if (options.extended)
    errors += examples::extended_check<Operands, float>(
        [&](const Problem& p, Operands& o) { device.multiply(p, o); }, false);
  if (errors == 0)
    std::printf("PASS!\n");
  else
    std::printf("FAIL with %zu errors!\n", errors);
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("sgemm", kUsage, [&] { return run(argc, argv); });
}
