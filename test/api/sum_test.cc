// SPDX-License-Identifier: Apache-2.0
// Sums of a whole launch, to which its work-groups add: the runtime gives each compute unit sums of
// its own where nobody can see that, and adds them up.
#include "api_test.h"

namespace conclave::test {
namespace {

const char kCount[] = R"(
  kernel void count(global const int* in, global uint* totals) {
    local uint bins[16];
    const int id = get_local_id(0);
    if (id < 16) bins[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 16) atomic_add(&totals[id], bins[id]);
  }
)";

constexpr size_t kItems = 1 << 20, kGroup = 64;

std::vector<int> numbers() {
  std::vector<int> all(kItems);
  for (size_t i = 0; i < kItems; ++i) all[i] = static_cast<int>(i * i % 1000);
  return all;
}

std::vector<cl_uint> counts(cl_uint times) {
  std::vector<cl_uint> all(16);
  for (const int number : numbers()) all[static_cast<size_t>(number & 15)] += times;
  return all;
}

class SumTest : public ApiTest {
 protected:
  template <class T>
  Buffer buffer_of(const std::vector<T>& content) {
    return make_buffer(context_, content.size() * sizeof(T), CL_MEM_COPY_HOST_PTR,
                       const_cast<T*>(content.data()));
  }
  template <class T>
  std::vector<T> content_of(cl_mem buffer, size_t count) {
    std::vector<T> content(count);
    EXPECT_OK(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(T), content.data(), 0,
                                  nullptr, nullptr));
    return content;
  }
  Kernel kernel(cl_program program, cl_mem in, cl_mem totals) {
    Kernel made = make_kernel(program, "count");
    EXPECT_OK(clSetKernelArg(made, 0, sizeof in, &in));
    EXPECT_OK(clSetKernelArg(made, 1, sizeof totals, &totals));
    return made;
  }
  static void launch(cl_command_queue queue, cl_kernel kernel) {
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &kGroup, 0, nullptr, nullptr));
  }
};

// From the second launch on, their time is known.
TEST_F(SumTest, OfManyLaunches) {
  Program program = build(context_, kCount);
  Buffer in = buffer_of(numbers());
  Buffer totals = buffer_of(std::vector<cl_uint>(16));
  Kernel count = kernel(program, in, totals);
  for (cl_uint launches = 1; launches <= 20; ++launches) {
    launch(queue_, count);
    EXPECT_EQ(counts(launches), content_of<cl_uint>(totals, 16));
  }
}

TEST_F(SumTest, OfLaunchesAtTheSameTime) {
  Program program = build(context_, kCount);
  Buffer in = buffer_of(numbers());
  Buffer totals = buffer_of(std::vector<cl_uint>(16));
  Queue other = make_queue(context_);
  Kernel count = kernel(program, in, totals), too = kernel(program, in, totals);
  for (int i = 0; i < 20; ++i) {
    launch(queue_, count);
    launch(other, too);
    ASSERT_OK(clFlush(queue_));
    ASSERT_OK(clFlush(other));
  }
  ASSERT_OK(clFinish(other));
  EXPECT_EQ(counts(40), content_of<cl_uint>(totals, 16));
}

// The totals are the second half of the numbers: the kernel reads what it adds to.
TEST_F(SumTest, InMemoryThatTheKernelReads) {
  const char source[] = R"(
    kernel void count(global const int* in, global uint* totals) {
      const int id = get_global_id(0);
      atomic_add(&totals[id & 4095], id < 4096 ? 5u : 0u);
      if (id < 4096) atomic_add(&totals[id], (uint)in[4096 + id]);
    }
  )";
  Program program = build(context_, source);
  constexpr size_t kHalf = 4096;
  Buffer both = buffer_of(std::vector<cl_uint>(2 * kHalf));
  Buffer part = sub_buffer(both, kHalf * sizeof(cl_uint), kHalf * sizeof(cl_uint));
  Kernel count = kernel(program, both, part);
  cl_uint total = 0;
  for (int i = 0; i < 5; ++i) {
    launch(queue_, count);
    total = 2 * (total + 5);
    std::vector<cl_uint> expected(2 * kHalf);
    std::fill(expected.begin() + kHalf, expected.end(), total);
    EXPECT_EQ(expected, content_of<cl_uint>(both, 2 * kHalf));
  }
}

TEST_F(SumTest, OfLongNumbers) {
  const char source[] = R"(
    #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    kernel void count(global const int* in, global ulong* totals) {
      const ulong id = get_global_id(0);
      atom_add(&totals[0], id << 20);
      atom_sub(&totals[5], 3ul);
      atom_dec(&totals[6]);
    }
  )";
  Program program = build(context_, source);
  Buffer in = buffer_of(numbers());
  Buffer totals = buffer_of(std::vector<cl_ulong>(7, 100));
  Kernel count = kernel(program, in, totals);
  constexpr cl_ulong kTimes = 5;
  for (cl_ulong i = 0; i < kTimes; ++i) {
    launch(queue_, count);
    ASSERT_OK(clFinish(queue_));
  }
  std::vector<cl_ulong> expected(7, 100);
  expected[0] += kTimes * ((cl_ulong{kItems} * (kItems - 1) / 2) << 20);
  expected[5] -= kTimes * kItems * 3;
  expected[6] -= kTimes * kItems;
  EXPECT_EQ(expected, content_of<cl_ulong>(totals, 7));
}

// Which arguments the compiler finds that are only added to, without anybody asking for the result
// or ordering other accesses by it.
TEST_F(SumTest, ArgumentsThatAreOnlyAddedTo) {
  const auto has_sums = [&](const std::string& body) {
    const std::string source =
        "kernel void f(global int* a, global int* b, int n) { const int id = "
        "get_global_id(0); " +
        body + " }";
    const std::vector<unsigned char> bytes = binary_of(build(context_, source));
    const std::string binary(bytes.begin(), bytes.end());
    return binary.find("\"sum_bytes\":4") != binary.npos;
  };
  EXPECT_TRUE(has_sums("atomic_inc(&a[id & 7]); b[id] = n;"));
  EXPECT_TRUE(has_sums("for (int i = 0; i < n; ++i) atomic_sub(a + i, b[id]);"));
  EXPECT_FALSE(has_sums("b[id] = atomic_inc(&a[id & 7]);"));
  EXPECT_FALSE(has_sums("atomic_inc(&a[id & 7]); b[id] = a[8];"));
  EXPECT_FALSE(has_sums("atomic_max(&a[id & 7], id);"));
  EXPECT_FALSE(has_sums("atomic_inc(&a[0]); mem_fence(CLK_GLOBAL_MEM_FENCE); b[0] = 1;"));
  EXPECT_FALSE(has_sums("atomic_inc(n > 3 ? a : b);"));
  EXPECT_FALSE(has_sums("atomic_inc(a); atom_add((global long*)(a + 2), 3l);"));
}

}  // namespace
}  // namespace conclave::test
