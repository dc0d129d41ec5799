// SPDX-License-Identifier: Apache-2.0
// A plain matrix product, whose rows are shared out to all accelerators of a platform; and the same
// on the host's CPUs.
#include <CL/opencl.hpp>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"
#include "matmpy.cl.h"

namespace {

constexpr size_t kRows = 512, kTerms = 512, kColumns = 512;

using Matrix = std::vector<float>;

// Small whole numbers: sums are exact in any order.
Matrix random_matrix(size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> numbers(-8, 8);
  Matrix matrix(size);
  for (float& element : matrix) element = static_cast<float>(numbers(generator));
  return matrix;
}

// Rows [begin, end) of C on the host.
void multiply_rows(const Matrix& a, const Matrix& b, Matrix& c, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    for (size_t k = 0; k < kTerms; ++k)
      for (size_t j = 0; j < kColumns; ++j)
        c[i * kColumns + j] += a[i * kTerms + k] * b[k * kColumns + j];
}

double host_seconds(const Matrix& a, const Matrix& b, Matrix& c, unsigned threads) {
  c.assign(kRows * kColumns, 0);
  return examples::seconds_of([&] {
    std::vector<std::jthread> workers;
    for (size_t t = 0; t < threads; ++t)
      workers.emplace_back(
          [&, t] { multiply_rows(a, b, c, kRows * t / threads, kRows * (t + 1) / threads); });
  });
}

size_t run() {
  const examples::Accelerator first;
  std::vector<cl::Device> devices;
  cl::Platform(first.device.getInfo<CL_DEVICE_PLATFORM>())
      .getDevices(CL_DEVICE_TYPE_ACCELERATOR, &devices);
  const cl::Context context(devices);
  cl::Program program(context, kMatmpySource);
  program.build(devices);
  std::printf("float C[%zu][%zu] = float A[%zu][%zu] x float B[%zu][%zu]\n\n", kRows, kColumns,
              kRows, kTerms, kTerms, kColumns);

  Matrix a = random_matrix(kRows * kTerms, 1), b = random_matrix(kTerms * kColumns, 2);
  Matrix c(kRows * kColumns), expected;
  const auto bytes = [](const Matrix& matrix) { return matrix.size() * sizeof(float); };
  const auto in_place = CL_MEM_USE_HOST_PTR;
  cl::Buffer buffer_a(context, CL_MEM_READ_ONLY | in_place, bytes(a), a.data());
  cl::Buffer buffer_b(context, CL_MEM_READ_ONLY | in_place, bytes(b), b.data());
  cl::Buffer buffer_c(context, CL_MEM_WRITE_ONLY | in_place, bytes(c), c.data());
  cl::Kernel kernel(program, "matmpy");
  kernel.setArg(0, buffer_a);
  kernel.setArg(1, buffer_b);
  kernel.setArg(2, buffer_c);
  kernel.setArg(3, static_cast<cl_int>(kTerms));
  kernel.setArg(4, static_cast<cl_int>(kColumns));
  kernel.setArg(5, cl::Local(kTerms * sizeof(float)));
  std::vector<cl::CommandQueue> queues;
  for (const cl::Device& device : devices) queues.emplace_back(context, device);

  const double seconds = examples::seconds_of([&] {
    for (size_t i = 0; i < queues.size(); ++i) {
      const size_t begin = kRows * i / queues.size(), end = kRows * (i + 1) / queues.size();
      queues[i].enqueueNDRangeKernel(kernel, cl::NDRange(0, begin), cl::NDRange(64, end - begin),
                                     cl::NDRange(64, 1));
      queues[i].flush();
    }
    for (const cl::CommandQueue& queue : queues) queue.finish();
  });
  void* mapped = queues[0].enqueueMapBuffer(buffer_c, CL_TRUE, CL_MAP_READ, 0, bytes(c));
  std::printf("OpenCL dispatching to %zu accelerator(s): %6.4f secs\n", devices.size(), seconds);

  const unsigned cpus = std::max(1u, std::thread::hardware_concurrency());
  std::printf("Host dispatching to %u CPU(S): %6.4f secs\n", cpus,
              host_seconds(a, b, expected, cpus));
  std::printf("Host dispatching to 1 CPU(S): %6.4f secs\n", host_seconds(a, b, expected, 1));

  size_t errors = 0;
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kColumns; ++j) {
      const float result = c[i * kColumns + j], right = expected[i * kColumns + j];
      if (result != right && errors++ < 12)
        std::printf("Error at [%zu][%zu]: %g <==> %g\n", i, j, result, right);
    }
  queues[0].enqueueUnmapMemObject(buffer_c, mapped);
  queues[0].finish();
  return examples::report(errors, "Passed!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "matmpy", "Multiplies two matrices.", run);
}
