// SPDX-License-Identifier: Apache-2.0
// TI's functions of the compute unit: called by many work-items at once, in packets and not, in all
// versions of OpenCL C.
#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr const char* kOptions[] = {"",
                                    "-cl-std=CL2.0",
                                    "-cl-std=CL3.0",
                                    "-cl-opt-disable",
                                    "-cl-conclave-width=1",
                                    "-cl-std=CL3.0 -cl-conclave-width=16"};

class TiDevice : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Options, TiDevice, ::testing::ValuesIn(kOptions));

cl_uint compute_units() {
  cl_uint count = 0;
  require(clGetDeviceInfo(Device::get().id(), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof count, &count,
                          nullptr),
          "clGetDeviceInfo");
  return count;
}

TEST_P(TiDevice, NumbersOfComputeUnits) {
  const Program program(R"(
    kernel void numbers(global uint* core, global uint* local_core) {
      core[get_global_id(0)] = __core_num();
      local_core[get_global_id(0)] = __local_core_num();
    })",
                        GetParam());
  constexpr size_t kGroups = 200, kItems = 37;
  const Buffer<cl_uint> core(kGroups * kItems), local_core(kGroups * kItems);
  program.run("numbers", {{kGroups * kItems}, {kItems}}, core, local_core);
  const auto cores = core.read(), local_cores = local_core.read();
  for (size_t i = 0; i < cores.size(); ++i) {
    EXPECT_EQ(cores[i / kItems * kItems], cores[i]) << "one group is on one unit";
    EXPECT_LT(local_cores[i], compute_units());
  }
}

TEST_P(TiDevice, TheClockGoesOn) {
  const Program program(R"(
    kernel void clocks(global ulong* begin, global ulong* end, global uint* mhz) {
      const size_t i = get_global_id(0);
      begin[i] = __clock64();
      const uint low = __clock();
      __cycle_delay(20000);
      end[i] = __clock64();
      mhz[i] = (uint)(__clock() - low) >= 20000 ? __dsp_frequency() : 0;
    })",
                        GetParam());
  constexpr size_t kItems = 50;
  const Buffer<cl_ulong> begin(kItems), end(kItems);
  const Buffer<cl_uint> mhz(kItems);
  program.run("clocks", {{kItems}, {25}}, begin, end, mhz);
  const auto begins = begin.read(), ends = end.read();
  cl_uint device_mhz = 0;
  require(clGetDeviceInfo(Device::get().id(), CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof device_mhz,
                          &device_mhz, nullptr),
          "clGetDeviceInfo");
  for (size_t i = 0; i < kItems; ++i) {
    EXPECT_GE(ends[i] - begins[i], 20000u);
    EXPECT_EQ(device_mhz, mhz.read()[i]);
  }
  // Work-items read the clock one after the other.
  EXPECT_GT(std::set<cl_ulong>(begins.begin(), begins.end()).size(), 1u);
}

TEST_P(TiDevice, CachesAndScratchMemoryShareWhatThereIs) {
  const Program program(R"(
    kernel void caches(global uint* out) {
      out[0] = __cache_l1d_size();
      out[1] = __scratch_l1d_size();
      out[2] = __cache_l1d_4k() && __cache_l1d_size() == 4096;
      out[3] = __scratch_l1d_size();
      global int* dummy = 0;
      uchar* scratch = (uchar*)__scratch_l1d_start();
      for (uint i = 0; i < __scratch_l1d_size(); ++i) scratch[i] = i % 251;
      __cache_l1d_flush();
      uint right = 0;
      for (uint i = 0; i < __scratch_l1d_size(); ++i) right += scratch[i] == i % 251;
      out[4] = right;
      out[5] = __cache_l1d_all() && __scratch_l1d_size() == 0;
      out[6] = __cache_l2_size();
      out[7] = __scratch_l2_size();
      out[8] = __cache_l2_512k() && __scratch_l2_size() == 512 << 10;
      out[9] = __cache_l2_none() && __cache_l2_size() == 0;
      uint* large = (uint*)__scratch_l2_start();
      for (uint i = 0; i < __scratch_l2_size() / 4; ++i) large[i] = 3 * i;
      ulong sum = 0;
      for (uint i = 0; i < __scratch_l2_size() / 4; ++i) sum += large[i];
      out[10] = sum % 1000003;
      out[11] = __cache_l2_128k();
      out[12] = scratch != (uchar*)large;
      __mfence();
      __touch((const global char*)out, 52);
    })",
                        GetParam());
  const Buffer<cl_uint> out(13);
  program.run("caches", {{1}, {1}}, out);
  constexpr cl_ulong kWords = (1 << 20) / 4;
  const std::vector<cl_uint> expected = {
      32768,
      0,
      1,
      28672,
      28672,
      1,
      128 << 10,
      (1 << 20) - (128 << 10),
      1,
      1,
      static_cast<cl_uint>(3 * (kWords * (kWords - 1) / 2) % 1000003),
      1,
      1};
  EXPECT_EQ(expected, out.read());
}

constexpr char kHeaps[] = R"(
  kernel void init(global void* memory, ulong bytes) { __heap_init_ddr(memory, bytes); }
  // Each work-item takes a block, writes its own name into it, and keeps it for the next kernel.
  kernel void take(global ulong* blocks, global const uint* sizes) {
    const size_t i = get_global_id(0);
    uint* block = 0;
    if (sizes[i] % 3 != 0) block = (uint*)__malloc_ddr(4 * sizes[i]);
    for (uint k = 0; block && k < sizes[i]; ++k) block[k] = i + k;
    blocks[i] = (ulong)block;
  }
  kernel void give(global const ulong* blocks, global const uint* sizes, global uint* wrong) {
    const size_t i = get_global_id(0);
    uint* block = (uint*)blocks[i];
    wrong[i] = 0;
    if (!block) {
      wrong[i] = sizes[i] % 3 != 0;
      return;
    }
    for (uint k = 0; k < sizes[i]; ++k) wrong[i] += block[k] != i + k;
    block = (uint*)__realloc_ddr(block, 8 * sizes[i] + 64);
    for (uint k = 0; k < sizes[i]; ++k) wrong[i] += !block || block[k] != i + k;
    __free_ddr(block);
  }
  kernel void others(global ulong* out) {
    __free_ddr(0);
    uint* zeros = (uint*)__calloc_ddr(100, 4);
    uint sum = 0;
    for (int i = 0; i < 100; ++i) sum += zeros[i];
    out[0] = zeros != 0 && sum == 0;
    out[1] = __calloc_ddr((size_t)-1, 2) == 0;
    void* aligned = __memalign_ddr(4096, 10);
    out[2] = (ulong)aligned % 4096;
    __free_ddr(aligned);
    __free_ddr(zeros);
    out[3] = __malloc_ddr(100000000) == 0;
  }
  kernel void all_of_it(global ulong* out, ulong bytes) { out[0] = (ulong)__malloc_ddr(bytes); })";

TEST_P(TiDevice, HeapsServeManyWorkItemsAndOutliveKernels) {
  const Program program(kHeaps, GetParam());
  constexpr size_t kBytes = 1 << 20, kItems = 1000;
  std::vector<cl_uint> sizes(kItems);
  for (size_t i = 0; i < kItems; ++i) sizes[i] = static_cast<cl_uint>(1 + i * 7 % 50);
  const Buffer<cl_uint> size(sizes), wrong(kItems);
  const Buffer<cl_ulong> blocks(kItems), out(4);
  {
    const Buffer<cl_uchar> memory(kBytes);
    program.run("init", {{1}, {1}}, memory, cl_ulong{kBytes});
    program.run("take", {{kItems}, {40}}, blocks, size);
    const auto addresses = blocks.read();
    std::vector<std::pair<cl_ulong, cl_ulong>> used;
    for (size_t i = 0; i < kItems; ++i)
      if (addresses[i]) used.emplace_back(addresses[i], addresses[i] + 4 * sizes[i]);
    std::sort(used.begin(), used.end());
    for (size_t i = 1; i < used.size(); ++i) EXPECT_LE(used[i - 1].second, used[i].first);
    program.run("give", {{kItems}, {25}}, blocks, size, wrong);
    EXPECT_EQ(std::vector<cl_uint>(kItems), wrong.read());
    program.run("others", {{1}, {1}}, out);
    EXPECT_EQ((std::vector<cl_ulong>{1, 1, 0, 1}), out.read());
    // Everything has come back.
    program.run("all_of_it", {{1}, {1}}, out, cl_ulong{kBytes - 64});
    EXPECT_NE(0u, out.read()[0]);
  }
  // The heap has gone with its buffer.
  program.run("all_of_it", {{1}, {1}}, out, cl_ulong{16});
  EXPECT_EQ(0u, out.read()[0]);
}

TEST_P(TiDevice, LocalHeapsAreTheWorkGroups) {
  const Program program(R"(
    kernel void local_heap(local char* memory, ulong bytes, global uint* out) {
      local uint place[8];
      if (get_local_id(0) == 0) __heap_init_l2(memory, bytes);
      barrier(CLK_LOCAL_MEM_FENCE);
      uint* mine = (uint*)__malloc_l2(4);
      if (mine) *mine = get_global_id(0);
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = mine ? *mine : 77777;
    }
    kernel void without(global uint* out) { out[0] = __malloc_l2(4) == 0; })",
                        GetParam());
  constexpr size_t kGroups = 64, kItems = 20;
  const Buffer<cl_uint> out(kGroups * kItems);
  program.run("local_heap", {{kGroups * kItems}, {kItems}}, Local{16 * kItems},
              cl_ulong{16 * kItems}, out);
  std::vector<cl_uint> expected(kGroups * kItems);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(expected, out.read());
  program.run("local_heap", {{kItems}, {kItems}}, Local{16 * kItems}, cl_ulong{64}, out);
  const auto values = out.read();
  EXPECT_EQ(kItems - 4, std::count(values.begin(), values.begin() + kItems, 77777u));
  program.run("without", {{1}, {1}}, out);
  EXPECT_EQ(1u, out.read()[0]);
}

TEST_P(TiDevice, CopiesOfLines) {
  const Program program(R"(
    #include <dsp_edmamgr.h>
    kernel void copies(global char* from, global char* to, global int32_t* status, int slot) {
      const size_t i = get_global_id(0);
      from += i * slot;
      to += i * slot;
      EdmaMgr_Handle h = EdmaMgr_alloc(2);
      int bad = h == 0;
      bad |= EdmaMgr_copy1D1D(h, from, to, 10) << 1;
      bad |= EdmaMgr_copy1D2D(h, from, to + 10, 3, 4, 5) << 2;       // 10 .. 28
      bad |= EdmaMgr_copyFast(h, from + 1, to + 30) << 3;            // 30 .. 48
      bad |= EdmaMgr_copy2D1D(h, from, to + 50, 3, 4, 6) << 4;       // 50 .. 62
      bad |= EdmaMgr_copy2D2D(h, from, to + 64, 2, 3, 4) << 5;       // 64 .. 74
      bad |= EdmaMgr_copy2D2DSep(h, from, to + 80, 2, 3, 7, 4) << 6; // 80 .. 90
      void* src[2] = {(void*)(ulong)from, (void*)(ulong)(from + 50)};
      void* dst[2] = {(void*)(ulong)(to + 92), (void*)(ulong)(to + 100)};
      int bytes[2] = {4, 5};
      bad |= EdmaMgr_copy1D1DLinked(h, src, dst, bytes, 2) << 7;     // 92 .. 96, 100 .. 105
      dst[0] = (void*)(ulong)(to + 106);
      dst[1] = (void*)(ulong)(to + 112);
      bad |= EdmaMgr_copyLinkedFast(h, src, dst, 2) << 8;            // 106 .. 110, 112 .. 117
      bad |= (EdmaMgr_copyLinkedFast(h, src, dst, 3) != EdmaMgr_ERROR_INVHANDLE) << 9;
      EdmaMgr_wait(h);
      bad |= EdmaMgr_free(h) << 10;
      bad |= (EdmaMgr_free(h) != EdmaMgr_ERROR_INVHANDLE) << 11;
      bad |= (EdmaMgr_copy1D1D(h, from, to, 1) != EdmaMgr_ERROR_INVHANDLE) << 12;
      bad |= (EdmaMgr_copy1D1D(h, from, to, -1) != EdmaMgr_ERROR_INVARG) << 13;
      status[i] = bad;
    })",
                        GetParam());
  constexpr size_t kItems = 40, kSlot = 128;
  std::vector<cl_char> from(kItems * kSlot), expected(kItems * kSlot);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<cl_char>(i * 31 + i / 128);
  for (size_t item = 0; item < kItems; ++item) {
    const cl_char* f = &from[item * kSlot];
    cl_char* t = &expected[item * kSlot];
    const auto lines = [](const cl_char* a, cl_char* b, int bytes, int count, int pa, int pb) {
      for (int line = 0; line < count; ++line) std::copy_n(a + line * pa, bytes, b + line * pb);
    };
    lines(f, t, 10, 1, 0, 0);
    lines(f, t + 10, 3, 4, 3, 5);
    lines(f + 1, t + 30, 3, 4, 3, 5);
    lines(f, t + 50, 3, 4, 6, 3);
    lines(f, t + 64, 2, 3, 4, 4);
    lines(f, t + 80, 2, 3, 7, 4);
    lines(f, t + 92, 4, 1, 0, 0);
    lines(f + 50, t + 100, 5, 1, 0, 0);
    lines(f, t + 106, 4, 1, 0, 0);
    lines(f + 50, t + 112, 5, 1, 0, 0);
  }
  const Buffer<cl_char> source(from), target(kItems * kSlot);
  const Buffer<cl_int> status(kItems);
  program.run("copies", {{kItems}, {20}}, source, target, status, cl_int{kSlot});
  EXPECT_EQ(std::vector<cl_int>(kItems), status.read());
  EXPECT_EQ(expected, target.read());
}

// Programs that have names of their own for these types must not mind the header.
TEST(TiDeviceHeader, TypesAreTheProgramsUnlessItIncludesThem) {
  const Program own("typedef long int8_t; kernel void k(global int8_t* x) { *x = sizeof *x; }");
  const Buffer<cl_long> size(1);
  own.run("k", {{1}, {1}}, size);
  EXPECT_EQ(8, size.read()[0]);
  const Program theirs(R"(
    #include "dsp_c.h"
    #if __TI_OCL_VERSION < 0x01010500
    #error old
    #endif
    kernel void k(global int64_t* x) { *x = sizeof(uint16_t); })");
  theirs.run("k", {{1}, {1}}, size);
  EXPECT_EQ(2, size.read()[0]);
}

}  // namespace
}  // namespace conclave::test
