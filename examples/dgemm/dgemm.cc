// SPDX-License-Identifier: Apache-2.0
// Double-precision matrix product on all compute units of an accelerator, checked against OpenBLAS.
// The program is part of this one: a kernel that calls C code, whose threads are OpenMP's.
// The matrices stay where the host allocated them: the device uses them in place.
#include <CL/opencl.hpp>
#include <boost/align/aligned_allocator.hpp>
#include <cstdio>
#include <vector>

#include "common/command_line.h"
#include "common/device_choice.h"
#include "common/example.h"
#include "common/matrices.h"
#include "common/reference_product.h"
#include "dgemm.dsp_h"

namespace {

using Problem = examples::Product<double>;
// If a matrix begins at a page, no device has a reason to copy it.
using Matrix = std::vector<double, boost::alignment::aligned_allocator<double, 4096>>;
using Operands = examples::Operands<double, Matrix::allocator_type>;

constexpr char kUsage[] =
    "Usage: dgemm [-M rows] [-K terms] [-N columns] [-or|-oc] [-a] [-b] [-x] [-h]\n"
    "  C[M,N] = A[M,K] * B[K,N]\n"
    "  -M  rows of C and A                  (1 to 1,000,000; default 1024)\n"
    "  -K  columns of A, rows of B          (1 to 1,000,000; default 1024)\n"
    "  -N  columns of C and B               (1 to 1,000,000; default 1024)\n"
    "  -o  storage order: r row-major, c column-major (default)\n"
    "  -a  A is stored transposed\n"
    "  -b  B is stored transposed\n"
    "  -x  extended check: many shapes, orders, transpositions and factors besides\n"
    "  -h  this text\n"
    "The exit status is the number of errors (255 for more).";

struct Options {
  Problem problem{1024, 1024, 1024, 1, 0, false, false, false};
  bool extended = false, help = false;
};

Options parse(int argc, char** argv) {
  Options options;
  Problem& problem = options.problem;
  examples::for_each_option(argc, argv, "o:M:K:N:habx", [&](char option, const char* value) {
    switch (option) {
      case 'M':
        problem.m = examples::parse_size(option, value);
        break;
      case 'K':
        problem.k = examples::parse_size(option, value);
        break;
      case 'N':
        problem.n = examples::parse_size(option, value);
        break;
      case 'o':
        problem.row_major = examples::parse_row_major(option, value);
        break;
      case 'a':
        problem.transpose_a = true;
        break;
      case 'b':
        problem.transpose_b = true;
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

// Counts the elements that differ, and prints the first twelve.
size_t count_errors(const Problem& problem, const Matrix& result, const Matrix& expected) {
  constexpr size_t kPrinted = 12;
  size_t errors = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (!examples::close_enough(problem, result[i], expected[i]) && errors++ < kPrinted)
      std::printf("Error [elem:%zu]: %f <==> %f\n", i, result[i], expected[i]);
  return errors;
}

// The place of element (line, k) of an operand: line * line_stride + k * depth_stride.
struct Strides {
  cl_long line, depth;
};
Strides strides_of_a(const Problem& p) {
  if (p.row_major == p.transpose_a) return {1, static_cast<cl_long>(p.m)};
  return {static_cast<cl_long>(p.k), 1};
}
Strides strides_of_b(const Problem& p) {
  if (p.row_major == p.transpose_b) return {static_cast<cl_long>(p.k), 1};
  return {1, static_cast<cl_long>(p.n)};
}

// What runs products on the device: a task whose C code has OpenMP's threads on all compute units.
class Device {
 public:
  Device() {
    // An empty kernel first, so that the first product does not pay for waking the compute units.
    accelerator_.queue.enqueueNDRangeKernel(cl::Kernel(program_, "empty"), cl::NullRange,
                                            cl::NDRange(1));
    accelerator_.queue.finish();
  }

  // Leaves the result in operands.c; returns the seconds that the kernel took.
  double multiply(const Problem& p, Operands& operands) {
    const cl::Buffer a = in_place(CL_MEM_READ_ONLY, operands.a);
    const cl::Buffer b = in_place(CL_MEM_READ_ONLY, operands.b);
    const cl::Buffer c = in_place(CL_MEM_READ_WRITE, operands.c);
    // The kernel writes C in columns. A row-major C is its transposed form in columns: B' * A'.
    const size_t rows = p.row_major ? p.n : p.m, columns = p.row_major ? p.m : p.n;
    reserve(packed_a_, rows);
    reserve(packed_b_, columns);
    if (p.row_major)
      set_arguments(b, strides_of_b(p), a, strides_of_a(p), rows, columns, p, c);
    else
      set_arguments(a, strides_of_a(p), b, strides_of_b(p), rows, columns, p, c);
    const cl::CommandQueue& queue = accelerator_.queue;
    queue.finish();
    const double seconds = examples::seconds_of([&] {
      queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
      queue.finish();
    });
    // The result is in the host's own memory once it has been mapped.
    void* mapped =
        queue.enqueueMapBuffer(c, CL_TRUE, CL_MAP_READ, 0, operands.c.size() * sizeof(double));
    queue.enqueueUnmapMemObject(c, mapped);
    queue.finish();
    return seconds;
  }

 private:
  cl::Buffer in_place(cl_mem_flags access, Matrix& matrix) const {
    return {accelerator_.context, access | CL_MEM_USE_HOST_PTR, matrix.size() * sizeof(double),
            matrix.data()};
  }

  // Room for one block of depth of an operand with that many lines, padded to whole panels
  // (dgemm_omp.c). Touched here, so that the first product does not wait for memory's pages.
  void reserve(cl::Buffer& buffer, size_t lines) {
    constexpr size_t kDepth = 256, kLongestPanel = 16;
    const size_t bytes = (lines + kLongestPanel) * kDepth * sizeof(double);
    if (buffer() && buffer.getInfo<CL_MEM_SIZE>() >= bytes) return;
    buffer = cl::Buffer(accelerator_.context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, bytes);
    accelerator_.queue.enqueueFillBuffer(buffer, cl_uchar{0}, 0, bytes);
  }

  void set_arguments(const cl::Buffer& first, const Strides& of_first, const cl::Buffer& second,
                     const Strides& of_second, size_t rows, size_t columns, const Problem& p,
                     const cl::Buffer& c) {
    cl_uint index = 0;
    const auto set = [&](const auto&... values) { (kernel_.setArg(index++, values), ...); };
    set(first, of_first.line, of_first.depth, second, of_second.line, of_second.depth);
    set(static_cast<cl_long>(rows), static_cast<cl_long>(columns), static_cast<cl_long>(p.k));
    set(p.alpha, p.beta, c, packed_a_, packed_b_);
  }

  examples::Accelerator accelerator_;
  cl::Program program_ = accelerator_.build(dgemm_dsp_bin, dgemm_dsp_bin_len);
  cl::Kernel kernel_{program_, "dgemm"};
  cl::Buffer packed_a_, packed_b_;
};

size_t run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.help) {
    std::printf("%s\n", kUsage);
    return 0;
  }
  const Problem& problem = options.problem;
  const cl::Device cl_device = examples::choose_accelerator();
  examples::require_room(problem, cl_device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  Device device;

  std::printf("Generating random data ... ");
  std::fflush(stdout);
  Operands operands(problem);
  examples::fill(operands, true);
  Matrix expected = operands.c;
  std::printf("Done. Starting Dgemm. \n");
  std::printf("%s C[%zu,%zu] = A[%zu,%zu] * B[%zu,%zu]: \n", problem.row_major ? "rMaj" : "cMaj",
              problem.m, problem.n, problem.m, problem.k, problem.k, problem.n);

  const double seconds = device.multiply(problem, operands);
  std::printf("%4u CUs : %.3f Gflops (%.6fs)\n", cl_device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
              problem.operations() / seconds * 1e-9, seconds);
  const double reference_seconds = examples::seconds_of([&] {
    examples::reference_product(problem, operands.a.data(), operands.b.data(), expected.data(), 1);
  });
  std::printf("   1 CPU : %.3f Gflops (%.6fs) with OpenBLAS library\n",
              problem.operations() / reference_seconds * 1e-9, reference_seconds);

  size_t errors = count_errors(problem, operands.c, expected);
  if (options.extended)
    errors += examples::extended_check<Operands, double>(
        [&](const Problem& p, Operands& o) { device.multiply(p, o); }, true);
  if (errors == 0)
    std::printf("PASS!\n");
  else
    std::printf("FAIL with %zu errors!\n", errors);
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("dgemm", kUsage, [&] { return run(argc, argv); });
}
