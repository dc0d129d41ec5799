// SPDX-License-Identifier: Apache-2.0
// What generic pointers are found to lead to.
#include <gtest/gtest.h>

#include <numeric>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// 1 global, 2 local, 4 private; 16 and more: the fence.
constexpr char kSource[] = R"(
  global int of_program = 7;

  int kind(void* p) {
    return (to_global(p) ? 1 : 0) + (to_local(p) ? 2 : 0) + (to_private(p) ? 4 : 0) +
           16 * get_fence(p);
  }
  kernel void kinds(global int* out, local int* argument, global int* choice) {
    local int own[3];
    int small = 1, kept[4];
    const size_t g = get_global_id(0);
    for (int i = 0; i < 4; ++i) kept[i] = g + i;
    out += 8 * g;
    out[0] = kind(out);
    out[1] = kind(&of_program);
    out[2] = kind(argument);
    out[3] = kind(own + 2);
    out[4] = kind(&small);
    barrier(CLK_LOCAL_MEM_FENCE);
    kept[choice[g]] = kind(kept + choice[g]);  // has lived across a barrier
    out[5] = kept[choice[g]];
    // Only known when it runs, and different in neighbours.
    int* any = choice[g] == 0 ? (int*)out : choice[g] == 1 ? (int*)argument : (int*)kept;
    out[6] = kind(any);
    out[7] = to_local((int*)argument + 1) == argument + 1 && !to_private((int*)0 + 0);
  })";

int fence(int flags) {
  return 16 * flags;
}

TEST(AddressSpace, IsFoundOut) {
  const int local_fence = fence(1), global_fence = fence(2);
  for (const char* options : {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"}) {
    const Program program(kSource, options);
    constexpr size_t kItems = 37;
    std::vector<cl_int> choice(kItems);
    for (size_t g = 0; g < kItems; ++g) choice[g] = static_cast<cl_int>(g % 3);
    Buffer<cl_int> out(8 * kItems), choices(choice);
    program.run("kinds", {{kItems}, {10}}, out, Local{64}, choices);
    const std::vector<cl_int> kinds = out.read();
    const int of_global = 1 + global_fence, of_local = 2 + local_fence;
    for (size_t g = 0; g < kItems; ++g) {
      const cl_int* kind = &kinds[8 * g];
      EXPECT_EQ(of_global, kind[0]) << options;
      EXPECT_EQ(of_global, kind[1]) << options;
      EXPECT_EQ(of_local, kind[2]) << options;
      EXPECT_EQ(of_local, kind[3]) << options;
      EXPECT_EQ(4, kind[4] & 7) << options;
      EXPECT_EQ(4, kind[5] & 7) << options << " of work-item " << g;
      EXPECT_EQ(g % 3 == 0 ? 1 : g % 3 == 1 ? 2 : 4, kind[6] & 7) << options << " of " << g;
      EXPECT_EQ(1, kind[7]) << options;
    }
  }
}

// The host's stack is global memory, even where a kernel runs on the same one.
TEST(AddressSpace, MemoryOfTheHostIsGlobal) {
  const Program program(R"(
    kernel void k(global int* x) { int* p = x; x[0] = to_global(p) == x && !to_private(p); })",
                        "-cl-std=CL3.0");
  alignas(128) cl_int on_stack[32] = {};
  cl_int status;
  const Device& device = Device::get();
  const Owned<cl_mem, clReleaseMemObject> memory(
      clCreateBuffer(device.context(), CL_MEM_USE_HOST_PTR, sizeof on_stack, on_stack, &status));
  require(status, "clCreateBuffer");
  program.run("k", {{1}, {1}}, memory.get());
  require(clEnqueueReadBuffer(device.queue(), memory.get(), CL_TRUE, 0, sizeof(cl_int), on_stack, 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  EXPECT_EQ(1, on_stack[0]);
}

// Where all lanes ask of one pointer, they ask once. Compilers for SYCL do so before each access of
// a sub-group to a block.
TEST(AddressSpace, IsTheSameForAllLanes) {
  const char kSource[] = R"(
    kernel void k(global const int* in, global int* out) {
      const size_t first = get_group_id(0) * get_local_size(0) +
                           get_sub_group_id() * get_max_sub_group_size();
      const global int* block = to_global((generic int*)(in + first));
      sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
      out[first + get_sub_group_local_id()] = block[get_sub_group_local_id()] + 1;
    })";
  constexpr size_t kItems = 1024;
  std::vector<cl_int> numbers(kItems);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const char* width : {"", " -cl-conclave-width=1", " -cl-conclave-width=4"}) {
    const Program program(kSource, std::string("-cl-std=CL3.0") + width);
    Buffer<cl_int> in(numbers), out(kItems);
    program.run("k", {{kItems}, {64}}, in, out);
    const std::vector<cl_int> got = out.read();
    for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(static_cast<cl_int>(i) + 1, got[i]) << width;
  }
}

}  // namespace
}  // namespace conclave::test
