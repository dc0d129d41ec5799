// SPDX-License-Identifier: Apache-2.0
// cl_ti_clmalloc: memory of the device for the host, which takes room from its heaps and is used in
// place. And TI's bounds, which the environment sets. Each test has a process of its own.
#include <CL/cl_ext_conclave.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "api_test.h"
#include "child_process.h"
#include "test/common/temporary_segment.h"

namespace conclave::test {
namespace {

constexpr size_t kMiB = 1 << 20;

using Environment = std::vector<std::pair<std::string, std::string>>;

template <class Function>
Function* get(const char* name) {
  return reinterpret_cast<Function*>(clGetExtensionFunctionAddressForPlatform(platform(), name));
}
#define GET(name) get<decltype(::name)>(#name)

cl_ulong left(cl_device_info name) {
  return info<cl_ulong>(clGetDeviceInfo, device(), name);
}

class ClmallocTest : public ::testing::Test {
 protected:
  void SetUp() override { CONCLAVE_ONLY(); }
  static void expect_success(const char* child, Environment environment = {}) {
    const TemporarySegment segment;
    environment.insert(environment.end(), {{"CONCLAVE_SEGMENT", segment.name()},
                                           {"CONCLAVE_DDR_HEAP1_SIZE_MIB", "64"},
                                           {"CONCLAVE_MSMC_HEAP_SIZE_KIB", "1024"}});
    const ChildResult result = run_child(child, environment);
    EXPECT_EQ(0, result.exit_status) << result.output;
  }
};

CHILD_PROCESS(clmalloc_account) {
  CHECK(device_text(device(), CL_DEVICE_EXTENSIONS).find("cl_ti_clmalloc") != std::string::npos);
  auto* malloc_ddr = GET(__malloc_ddr);
  auto* malloc_msmc = GET(__malloc_msmc);
  auto* free_ddr = GET(__free_ddr);
  auto* free_msmc = GET(__free_msmc);
  auto* is_in = GET(__is_in_malloced_region);
  CHECK(malloc_ddr && malloc_msmc && free_ddr && free_msmc && is_in);
  auto* ddr = static_cast<char*>(malloc_ddr(5 * kMiB));
  auto* msmc = static_cast<char*>(malloc_msmc(1000));
  CHECK(ddr && msmc);
  CHECK(reinterpret_cast<uintptr_t>(ddr) % 128 == 0);
  CHECK(reinterpret_cast<uintptr_t>(msmc) % 128 == 0);
  CHECK(left(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 59 * kMiB);
  CHECK(left(CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI) == kMiB - 1024);
  std::memset(ddr, 1, 5 * kMiB);
  CHECK(is_in(ddr) && is_in(ddr + 5 * kMiB - 1) && !is_in(ddr + 5 * kMiB) && !is_in(ddr - 1));
  CHECK(is_in(msmc + 999) && !is_in(msmc + 1000) && !is_in(nullptr));
  // What there is no room for, and what is none of this memory.
  CHECK(!malloc_ddr(0) && !malloc_ddr(60 * kMiB) && !malloc_msmc(kMiB) && !malloc_ddr(SIZE_MAX));
  int other = 0;
  free_ddr(&other);
  free_ddr(ddr + 128);
  free_ddr(nullptr);
  CHECK(is_in(ddr));
  free_ddr(ddr);
  free_msmc(msmc);
  CHECK(!is_in(ddr) && !is_in(msmc));
  CHECK(left(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 64 * kMiB);
  CHECK(left(CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI) == kMiB);
  return 0;
}

TEST_F(ClmallocTest, TakesRoomFromTheHeaps) {
  expect_success("clmalloc_account");
}

CHILD_PROCESS(clmalloc_in_place) {
  auto* numbers = static_cast<int*>(GET(__malloc_ddr)(4096));
  CHECK(numbers);
  std::iota(numbers, numbers + 1024, 0);
  Context context = make_context();
  Queue queue = make_queue(context);
  Buffer buffer = make_buffer(context, 4096, CL_MEM_USE_HOST_PTR, numbers);
  Program program =
      build(context, "kernel void twice(global int* x) { x[get_global_id(0)] *= 2; }");
  Kernel kernel = make_kernel(program, "twice");
  CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.list()) == CL_SUCCESS);
  const size_t global = 1024;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(clFinish(queue) == CL_SUCCESS);
  for (int i = 0; i < 1024; ++i) CHECK(numbers[i] == 2 * i);
  buffer.reset();
  GET(__free_ddr)(numbers);
  return 0;
}

TEST_F(ClmallocTest, IsUsedInPlace) {
  expect_success("clmalloc_in_place");
}

CHILD_PROCESS(ti_bounds) {
  CHECK(info<size_t>(clGetDeviceInfo, device(), CL_DEVICE_MAX_WORK_GROUP_SIZE) == 100);
  CHECK(left(CL_DEVICE_MAX_MEM_ALLOC_SIZE) == 5000);
  Context context = make_context();
  Queue queue = make_queue(context);
  cl_int code = CL_SUCCESS;
  CHECK(!clCreateBuffer(context, 0, 5001, nullptr, &code) && code == CL_INVALID_BUFFER_SIZE);
  Buffer buffer = make_buffer(context, 5000);
  Program program = build(context, R"(
    kernel void size(global int* x) { x[0] = get_local_size(0); printf("a\n"); })");
  Kernel kernel = make_kernel(program, "size");
  CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.list()) == CL_SUCCESS);
  const size_t many = 1000, too_large = 101, one = 1;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &many, &too_large, 0, nullptr, nullptr) ==
        CL_INVALID_WORK_ITEM_SIZE);
  const size_t global = 1000;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(contents(queue, buffer, 1)[0] <= 100);
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(clFinish(queue) == CL_SUCCESS);
  return 0;
}

TEST_F(ClmallocTest, BoundsOfTheEnvironment) {
  expect_success("ti_bounds", {{"TI_OCL_WG_SIZE_LIMIT", "100"},
                               {"TI_OCL_LIMIT_DEVICE_MAX_MEM_ALLOC_SIZE", "5000"}});
}

CHILD_PROCESS(ti_printf) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, "kernel void say() { printf(\"I am %d\\n\", __core_num()); }");
  Kernel kernel = make_kernel(program, "say");
  const size_t one = 1;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(clFinish(queue) == CL_SUCCESS);
  return 0;
}

TEST_F(ClmallocTest, PrintfTellsTheComputeUnit) {
  const ChildResult with = run_child("ti_printf", {{"CONCLAVE_COMPUTE_UNITS", "4"},
                                                   {"TI_OCL_PRINTF_COREID", "1"},
                                                   {"TI_OCL_COMPUTE_UNIT_LIST", "2"}});
  EXPECT_NE(std::string::npos, with.output.find("[core 2] I am 2\n")) << with.output;
  const ChildResult without = run_child("ti_printf", {});
  EXPECT_EQ(std::string::npos, without.output.find("[core")) << without.output;
}

}  // namespace
}  // namespace conclave::test
