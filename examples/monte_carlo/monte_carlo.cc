// SPDX-License-Identifier: Apache-2.0
// Makes Gaussian random numbers (mean 0, deviation 1), on the host and on the device, and looks
// whether they are: half of them are negative, and the mean of their squares is 1.
#include <CL/opencl.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"
#include "monte_carlo.cl.h"

namespace {

constexpr size_t kNumbers = 16 << 20;
constexpr size_t kItems = 4096;

void print_time(const char* who, double seconds, size_t numbers) {
  std::printf("%s, Total time %.0f nanoseconds\n", who, 1e9 * seconds);
  std::printf("          %.2f nanoseconds per element\n",
              1e9 * seconds / static_cast<double>(numbers));
  std::printf("          %zu elements processed\n\n", numbers);
}

// Draws that are this far from the expected value are no accident: six standard deviations.
bool is_likely(double found, double expected, double deviation) {
  return std::abs(found - expected) <= 6 * deviation;
}

void draw_on_host() {
  std::vector<float> numbers(1 << 20);
  print_time("Host", examples::seconds_of([&] {
               std::mt19937 generator(1);
               std::normal_distribution<float> normal;
               for (float& number : numbers) number = normal(generator);
             }),
             numbers.size());
}

size_t run() {
  std::printf(
      "This code generates Gaussian Random Numbers (0,1) and \n"
      "calculates how many numbers are less than 0 and more than 0\n\n");
  draw_on_host();

  const examples::Accelerator accelerator;
  const cl::Context& context = accelerator.context;
  const cl::Program program = accelerator.build(kMonteCarloSource);
  cl::Kernel gaussian(program, "gaussian"), classify(program, "classify");
  const cl::Buffer numbers(context, CL_MEM_READ_WRITE, kNumbers * sizeof(cl_float));
  const cl::Buffer negative(context, CL_MEM_WRITE_ONLY, kItems * sizeof(cl_uint));
  const cl::Buffer positive(context, CL_MEM_WRITE_ONLY, kItems * sizeof(cl_uint));
  const cl::Buffer squares(context, CL_MEM_WRITE_ONLY, kItems * sizeof(cl_double));
  gaussian.setArg(0, numbers);
  gaussian.setArg(1, cl_ulong{20261122});
  classify.setArg(0, numbers);
  classify.setArg(1, static_cast<cl_int>(kNumbers / kItems));
  classify.setArg(2, negative);
  classify.setArg(3, positive);
  classify.setArg(4, squares);
  const cl::CommandQueue& queue = accelerator.queue;
  print_time("Device", examples::seconds_of([&] {
               queue.enqueueNDRangeKernel(gaussian, cl::NullRange, cl::NDRange(kNumbers / 2));
               queue.enqueueNDRangeKernel(classify, cl::NullRange, cl::NDRange(kItems));
               queue.finish();
             }),
             kNumbers);

  std::vector<cl_uint> below(kItems), above(kItems);
  std::vector<cl_double> sums(kItems);
  queue.enqueueReadBuffer(negative, CL_TRUE, 0, kItems * sizeof(cl_uint), below.data());
  queue.enqueueReadBuffer(positive, CL_TRUE, 0, kItems * sizeof(cl_uint), above.data());
  queue.enqueueReadBuffer(squares, CL_TRUE, 0, kItems * sizeof(cl_double), sums.data());
  const size_t negatives = std::accumulate(below.begin(), below.end(), size_t{0});
  const size_t positives = std::accumulate(above.begin(), above.end(), size_t{0});
  const double variance = std::accumulate(sums.begin(), sums.end(), 0.0) / kNumbers;
  std::printf(" count positive =  %zu  count Negative = %zu zero  %zu  \n", positives, negatives,
              kNumbers - positives - negatives);
  std::printf(" mean of squares = %f\n", variance);

  const double half = kNumbers / 2.0;
  const bool right = is_likely(static_cast<double>(negatives), half, std::sqrt(half / 2)) &&
                     is_likely(static_cast<double>(positives), half, std::sqrt(half / 2)) &&
                     is_likely(variance, 1, std::sqrt(2.0 / kNumbers));
  return examples::report(!right, "\nEND RUN!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "monte_carlo",
                                      "Makes Gaussian random numbers and counts signs.", run);
}
