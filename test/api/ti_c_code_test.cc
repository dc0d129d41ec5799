// SPDX-License-Identifier: Apache-2.0
// TI's functions of the compute unit in C functions that kernels call.
#include <algorithm>

#include "api_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  uint c_core_num(void);
  uint c_local_core_num(void);
  uint c_delay(void);
  uint c_frequency(void);
  uint c_caches(global void* memory);
  global char* c_scratch(void);
  void c_init(global void* ddr, global void* msmc, ulong bytes);
  global uint* c_take(uint item, uint words);
  uint c_give(uint item, global uint* block, uint words);
  uint c_other_blocks(void);
  void c_init_local(local void* memory, ulong bytes);
  local uint* c_take_local(void);
  uint c_copies(global const char* from, global char* to);
  uint c_other_thread(void);

  kernel void numbers(global uint* wrong) {
    wrong[get_global_id(0)] =
        (c_core_num() != __core_num()) + 2 * (c_local_core_num() != __local_core_num());
  }
  kernel void clock(global uint* cycles) {
    cycles[get_global_id(0)] = c_frequency() == __dsp_frequency() ? c_delay() : 0;
  }
  kernel void caches(global uint* wrong) {
    wrong[get_global_id(0)] = c_caches(wrong);
    global char* memory = c_scratch();
    wrong[get_global_id(0)] |= (memory != (global char*)(ulong)__scratch_l2_start()) << 9;
    wrong[get_global_id(0)] |= (memory[1000] != 7) << 10;
  }
  kernel void init(global char* ddr, global char* msmc, ulong bytes) { c_init(ddr, msmc, bytes); }
  kernel void take(global ulong* blocks) {
    const uint i = get_global_id(0);
    blocks[i] = (ulong)c_take(i, 1 + i % 50);
  }
  kernel void give(global uint* wrong, global const ulong* blocks) {
    const uint i = get_global_id(0);
    wrong[i] = blocks[i] ? c_give(i, (global uint*)blocks[i], 1 + i % 50) : 1;
  }
  kernel void other_blocks(global uint* wrong) { wrong[get_global_id(0)] = c_other_blocks(); }
  kernel void local_heap(global uint* wrong) {
    local uint memory[512];
    const uint i = get_global_id(0);
    if (get_local_id(0) == 0) c_init_local(memory, sizeof memory);
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint* mine = c_take_local();
    if (mine) *mine = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    wrong[i] = !mine || *mine != i || mine < memory || mine >= memory + 512;
  }
  kernel void copies(global uint* wrong, global char* from, global char* to) {
    const uint i = get_global_id(0);
    wrong[i] = c_copies(from + i * 128, to + i * 128);
  }
  kernel void other_thread(global uint* wrong) { *wrong = c_other_thread(); })";

constexpr size_t kItems = 2000, kGroup = 20, kHeapBytes = 2 << 20;

class TiCCodeTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    program_ = build(context_, kSource, CONCLAVE_TEST_TI_DEVICE_OBJECT);
  }
  // The results of a kernel whose first argument is a number for each work-item.
  std::vector<int> run(const char* name, const std::vector<cl_mem>& others = {},
                       size_t items = kItems) {
    Kernel kernel = make_kernel(program_, name);
    Buffer out = make_buffer(context_, std::vector<int>(items, 77));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
    for (size_t i = 0; i < others.size(); ++i)
      EXPECT_OK(clSetKernelArg(kernel, static_cast<cl_uint>(i + 1), sizeof(cl_mem), &others[i]));
    enqueue(kernel, items);
    return contents(queue_, out, items);
  }
  void expect_right(const char* name, const std::vector<cl_mem>& others = {},
                    size_t items = kItems) {
    EXPECT_EQ(std::vector<int>(items), run(name, others, items)) << name;
  }
  void enqueue(cl_kernel kernel, size_t items) {
    const size_t group = std::min(items, kGroup);
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr));
  }
  void init_heaps() {
    Kernel kernel = make_kernel(program_, "init");
    const cl_ulong bytes = kHeapBytes;
    ddr_ = make_buffer(context_, std::vector<int>(kHeapBytes / sizeof(int)));
    msmc_ = make_buffer(context_, std::vector<int>(kHeapBytes / sizeof(int)));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), ddr_.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), msmc_.list()));
    EXPECT_OK(clSetKernelArg(kernel, 2, sizeof bytes, &bytes));
    enqueue(kernel, 1);
  }

  Buffer ddr_, msmc_;
};

TEST_F(TiCCodeTest, NumbersAreThoseOfOpenClC) {
  expect_right("numbers");
}

TEST_F(TiCCodeTest, TheClockGoesOn) {
  for (const int cycles : run("clock", {}, 100)) EXPECT_GE(cycles, 20000);
}

// By each work-item, many on one unit after the other, and some on several units at once.
TEST_F(TiCCodeTest, CachesAndScratchMemoryAreTheUnits) {
  expect_right("caches", {}, 100);
}

TEST_F(TiCCodeTest, HeapsServeManyWorkGroupsAndOutliveKernels) {
  init_heaps();
  for (int round = 0; round < 3; ++round) {
    Kernel take = make_kernel(program_, "take");
    Buffer blocks = make_buffer(context_, std::vector<int>(2 * kItems));
    EXPECT_OK(clSetKernelArg(take, 0, sizeof(cl_mem), blocks.list()));
    enqueue(take, kItems);
    expect_right("give", {blocks});
  }
  expect_right("other_blocks");
}

TEST_F(TiCCodeTest, LocalHeapsAreTheWorkGroups) {
  expect_right("local_heap");
}

TEST_F(TiCCodeTest, CopiesOfLines) {
  std::vector<int> numbers(128 * kItems / sizeof(int));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 0x9e3779b1);
  Buffer from = make_buffer(context_, numbers), to = make_buffer(context_, numbers);
  expect_right("copies", {from, to});
}

TEST_F(TiCCodeTest, ThreadsWithoutAUnitHaveWhatAllUnitsHave) {
  init_heaps();
  expect_right("other_thread", {}, 1);
}

}  // namespace
}  // namespace conclave::test
