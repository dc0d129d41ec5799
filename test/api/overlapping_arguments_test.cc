// SPDX-License-Identifier: Apache-2.0
// Kernels whose arguments lead to the same memory, or not: sums that might stay in registers are
// seen through the other argument where the memory is the same.
#include "api_test.h"

namespace conclave::test {
namespace {

// Each work-item has a row of 16 numbers in both arguments. Twice in a row it reads, through `in`,
// the place where its sum is if both are one buffer.
const char kSums[] = R"(
  kernel void sums(global int* sum, global const int* in, int n) {
    const int row = (int)get_global_id(0) * 16;
    for (int k = 0; k < n; ++k) sum[row + 3] += in[row + (k & 15)];
  }
)";

constexpr int kRow = 16, kRounds = 40;
constexpr size_t kItems = 100, kNumbers = kItems * kRow;

using Numbers = std::vector<int>;

Numbers numbers(size_t count) {
  Numbers all(count);
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i % 7 + 1);
  return all;
}

// Those of two buffers, one behind the other.
Numbers two_buffers() {
  const Numbers one = numbers(kNumbers);
  Numbers both = one;
  both.insert(both.end(), one.begin(), one.end());
  return both;
}

// As many numbers of a buffer, from number `origin` on.
Buffer part_of(cl_mem whole, size_t origin) {
  return sub_buffer(whole, origin * sizeof(int), kNumbers * sizeof(int));
}

// What the kernel does to memory in which its arguments begin at these numbers.
void add_up(Numbers& memory, size_t sum, size_t in) {
  for (size_t row = 0; row < kNumbers; row += kRow)
    for (size_t k = 0; k < kRounds; ++k) {
      auto& to = reinterpret_cast<unsigned&>(memory[sum + row + 3]);
      to += static_cast<unsigned>(memory[in + row + k % kRow]);
    }
}

class OverlappingArgumentsTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    program_ = build(context_, kSums);
    kernel_ = make_kernel(program_, "sums");
  }

  void run(cl_mem sum, cl_mem in) {
    ASSERT_OK(clSetKernelArg(kernel_, 0, sizeof sum, &sum));
    ASSERT_OK(clSetKernelArg(kernel_, 1, sizeof in, &in));
    launch();
  }

  void launch() {
    ASSERT_OK(clSetKernelArg(kernel_, 2, sizeof kRounds, &kRounds));
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr));
    ASSERT_OK(clFinish(queue_));
  }

  Program program_;
  Kernel kernel_;
};

TEST_F(OverlappingArgumentsTest, TwoBuffers) {
  Buffer sum = make_buffer(context_, numbers(kNumbers));
  Buffer in = make_buffer(context_, numbers(kNumbers));
  Numbers expected = two_buffers();
  add_up(expected, 0, kNumbers);
  run(sum, in);
  expected.resize(kNumbers);
  EXPECT_EQ(expected, contents(queue_, sum, kNumbers));
}

TEST_F(OverlappingArgumentsTest, OneBuffer) {
  Buffer both = make_buffer(context_, numbers(kNumbers));
  Numbers expected = numbers(kNumbers);
  add_up(expected, 0, 0);
  run(both, both);
  EXPECT_EQ(expected, contents(queue_, both, kNumbers));
}

// The sums lie in the second half of `whole`, the numbers in all of it.
TEST_F(OverlappingArgumentsTest, ABufferAndAPartOfIt) {
  Buffer whole = make_buffer(context_, numbers(2 * kNumbers));
  for (const size_t origin : {size_t{0}, kNumbers}) {
    SCOPED_TRACE(origin);
    Buffer part = part_of(whole, origin);
    Numbers expected = contents(queue_, whole, 2 * kNumbers);
    add_up(expected, origin, 0);
    run(part, whole);
    EXPECT_EQ(expected, contents(queue_, whole, 2 * kNumbers));
  }
}

TEST_F(OverlappingArgumentsTest, TwoPartsOfABuffer) {
  Buffer whole = make_buffer(context_, numbers(2 * kNumbers));
  Numbers expected = numbers(2 * kNumbers);
  add_up(expected, kNumbers, 0);
  Buffer low = part_of(whole, 0), high = part_of(whole, kNumbers);
  run(high, low);
  EXPECT_EQ(expected, contents(queue_, whole, 2 * kNumbers));
}

TEST_F(OverlappingArgumentsTest, SharedVirtualMemory) {
  auto* memory = static_cast<int*>(clSVMAlloc(
      context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, kNumbers * sizeof(int), 0));
  ASSERT_NE(memory, nullptr);
  Numbers expected = numbers(kNumbers);
  std::copy(expected.begin(), expected.end(), memory);
  add_up(expected, 0, 0);
  ASSERT_OK(clSetKernelArgSVMPointer(kernel_, 0, memory));
  ASSERT_OK(clSetKernelArgSVMPointer(kernel_, 1, memory));
  launch();
  EXPECT_EQ(expected, Numbers(memory, memory + kNumbers));
  clSVMFree(context_, memory);
}

// The same command, once with two buffers and once with one.
TEST_F(OverlappingArgumentsTest, FromLaunchToLaunch) {
  Buffer a = make_buffer(context_, numbers(kNumbers));
  Buffer b = make_buffer(context_, numbers(kNumbers));
  Numbers expected = two_buffers();
  for (int round = 0; round < 3; ++round) {
    add_up(expected, 0, kNumbers);
    run(a, b);
    add_up(expected, 0, 0);
    run(a, a);
  }
  expected.resize(kNumbers);
  EXPECT_EQ(expected, contents(queue_, a, kNumbers));
}

}  // namespace
}  // namespace conclave::test
