// SPDX-License-Identifier: Apache-2.0
// Device memory as a resource that is used up: TI's on-chip heap (cl_ti_msmc_buffers), the sizes of
// the heaps, and what a full heap means for the processes that share it. Each test has heaps of its
// own, in a segment of its own.
#include <CL/cl_ext_conclave.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "api_test.h"
#include "child_process.h"
#include "image_shapes.h"
#include "test/common/temporary_segment.h"

namespace conclave::test {
namespace {

constexpr size_t kMiB = 1 << 20;

cl_ulong device_size(cl_device_info name) {
  return info<cl_ulong>(clGetDeviceInfo, device(), name);
}

// The code of making a buffer, which is kept in `buffers` where it can be made.
cl_int take(cl_context context, size_t size, std::vector<Buffer>& buffers,
            cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
  cl_int code = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(context, flags, size, host, &code);
  if (buffer) buffers.emplace_back(buffer);
  return code;
}

std::string last_message;
Context reporting_context() {
  cl_device_id devices[] = {device()};
  return Context(clCreateContext(
      nullptr, 1, devices,
      [](const char* text, const void*, size_t, void*) { last_message = text; }, nullptr, nullptr));
}

class DeviceMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override { CONCLAVE_ONLY(); }

  // ddr_heap1 of 64 MiB, ddr_heap2 of `second` MiB, msmc_heap of 1 MiB.
  static void expect_success(const char* child, const char* second = "0") {
    const TemporarySegment segment;
    const ChildResult result = run_child(child, {{"CONCLAVE_SEGMENT", segment.name()},
                                                 {"CONCLAVE_DDR_HEAP1_SIZE_MIB", "64"},
                                                 {"CONCLAVE_DDR_HEAP2_SIZE_MIB", second},
                                                 {"CONCLAVE_MSMC_HEAP_SIZE_KIB", "1024"}});
    EXPECT_EQ(0, result.exit_status) << result.output;
  }
};

CHILD_PROCESS(heap_sizes) {
  CHECK(device_text(device(), CL_DEVICE_EXTENSIONS).find("cl_ti_msmc_buffers") !=
        std::string::npos);
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_SIZE) == (64 + 32) * kMiB);
  CHECK(device_size(CL_DEVICE_MAX_MEM_ALLOC_SIZE) == 48 * kMiB);
  CHECK(device_size(CL_DEVICE_MSMC_MEM_SIZE_TI) == kMiB);
  CHECK(device_size(CL_DEVICE_GLOBAL_EXT1_MEM_SIZE_TI) == 32 * kMiB);
  CHECK(device_size(CL_DEVICE_GLOBAL_EXT2_MEM_SIZE_TI) == 0);
  CHECK(device_size(CL_DEVICE_GLOBAL_EXT2_MEM_MAX_ALLOC_TI) == 0);
  CHECK(device_size(CL_DEVICE_LOCAL_MEM_MAX_ALLOC_TI) == device_size(CL_DEVICE_LOCAL_MEM_SIZE));
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 64 * kMiB);
  CHECK(device_size(CL_DEVICE_GLOBAL_EXT1_MEM_MAX_ALLOC_TI) == 32 * kMiB);
  CHECK(device_size(CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI) == kMiB);
  Context context = make_context();
  std::vector<Buffer> buffers;
  CHECK(take(context, 4 * kMiB, buffers) == CL_SUCCESS);   // below an eighth of ddr_heap1
  CHECK(take(context, 16 * kMiB, buffers) == CL_SUCCESS);  // not below it
  CHECK(take(context, 1000, buffers, CL_MEM_USE_MSMC_TI) == CL_SUCCESS);
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 60 * kMiB);
  CHECK(device_size(CL_DEVICE_GLOBAL_EXT1_MEM_MAX_ALLOC_TI) == 16 * kMiB);
  CHECK(device_size(CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI) == kMiB - 1024);
  return 0;
}

TEST_F(DeviceMemoryTest, SizesAreThoseOfTheHeaps) {
  expect_success("heap_sizes", "32");
}

CHILD_PROCESS(msmc_buffers) {
  Context context = make_context();
  Queue queue = make_queue(context);
  std::vector<int> data(1000);
  std::iota(data.begin(), data.end(), 0);
  Buffer buffer =
      make_buffer(context, 4000, CL_MEM_USE_MSMC_TI | CL_MEM_COPY_HOST_PTR, data.data());
  CHECK(info<cl_mem_flags>(clGetMemObjectInfo, buffer, CL_MEM_FLAGS) ==
        (CL_MEM_READ_WRITE | CL_MEM_USE_MSMC_TI | CL_MEM_COPY_HOST_PTR));
  CHECK(contents(queue, buffer, 1000) == data);

  cl_int code;
  const cl_buffer_region region = {1024, 1024};
  Buffer part(
      clCreateSubBuffer(buffer, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  CHECK(code == CL_SUCCESS);
  CHECK(info<cl_mem_flags>(clGetMemObjectInfo, part, CL_MEM_FLAGS) & CL_MEM_USE_MSMC_TI);
  CHECK(device_size(CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI) == kMiB - 4096);  // only its parent counts

  Buffer other = make_buffer(context, 4096);
  CHECK(
      !clCreateSubBuffer(other, CL_MEM_USE_MSMC_TI, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  CHECK(code == CL_INVALID_VALUE);
  std::vector<Buffer> none;
  CHECK(take(context, 4000, none, CL_MEM_USE_MSMC_TI | CL_MEM_USE_HOST_PTR, data.data()) ==
        CL_INVALID_VALUE);
  return 0;
}

TEST_F(DeviceMemoryTest, BuffersOnChip) {
  expect_success("msmc_buffers");
}

CHILD_PROCESS(msmc_full) {
  Context context = reporting_context();
  std::vector<Buffer> buffers;
  for (int i = 0; i < 4; ++i)
    CHECK(take(context, kMiB / 4, buffers, CL_MEM_USE_MSMC_TI) == CL_SUCCESS);
  CHECK(take(context, 1, buffers, CL_MEM_USE_MSMC_TI) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(last_message.find("msmc_heap has 0 of 1048576 bytes left") != std::string::npos);
  CHECK(last_message.find("msmc-heap-size-KiB") != std::string::npos);
  CHECK(take(context, 1, buffers) == CL_SUCCESS);  // elsewhere there is room
  buffers.erase(buffers.begin() + 1);
  CHECK(take(context, kMiB / 4 + 1, buffers, CL_MEM_USE_MSMC_TI) ==
        CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(take(context, kMiB / 4, buffers, CL_MEM_USE_MSMC_TI) == CL_SUCCESS);
  buffers.clear();
  CHECK(take(context, kMiB, buffers, CL_MEM_USE_MSMC_TI) == CL_SUCCESS);
  return 0;
}

TEST_F(DeviceMemoryTest, AFullOnChipHeapIsAnErrorUntilBuffersAreReleased) {
  expect_success("msmc_full");
}

CHILD_PROCESS(global_memory_full) {
  Context context = reporting_context();
  std::vector<Buffer> buffers;
  const size_t most = device_size(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  CHECK(most == 32 * kMiB);
  CHECK(take(context, most + 1, buffers) == CL_INVALID_BUFFER_SIZE);
  CHECK(take(context, most, buffers) == CL_SUCCESS);
  CHECK(take(context, most, buffers) == CL_SUCCESS);
  CHECK(take(context, 1, buffers) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(last_message.find("ddr_heap1 has 0 of 67108864 bytes left") != std::string::npos);
  // What is in the host's memory takes none of the device's.
  std::vector<char> host(4096);
  CHECK(take(context, 4096, buffers, CL_MEM_USE_HOST_PTR, host.data()) == CL_SUCCESS);
  // A buffer lives for as long as a part of it, or a command that uses it.
  const cl_buffer_region region = {0, 128};
  std::vector<Buffer> part;
  part.emplace_back(
      clCreateSubBuffer(buffers[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr));
  buffers.erase(buffers.begin());
  CHECK(take(context, 1, buffers) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  part.clear();
  CHECK(take(context, most, buffers) == CL_SUCCESS);
  return 0;
}

TEST_F(DeviceMemoryTest, FullGlobalMemoryIsAnErrorUntilBuffersAreReleased) {
  expect_success("global_memory_full");
}

// Starts a process that takes most of global memory and waits, or ends where `ends`; returns when
// it has the memory.
pid_t start_holder(bool ends) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t holder = fork();
  if (holder == 0) {
    alarm(60);
    Context context = make_context();
    auto* buffers = new std::vector<Buffer>;  // not released
    const bool all = take(context, 30 * kMiB, *buffers) == CL_SUCCESS &&
                     take(context, 30 * kMiB, *buffers) == CL_SUCCESS;
    if (write(ready[1], all ? "+" : "-", 1) != 1 || ends) std::exit(0);
    for (;;) pause();
  }
  char answer = '-';
  const bool told = read(ready[0], &answer, 1) == 1;
  close(ready[0]);
  close(ready[1]);
  return told && answer == '+' ? holder : -1;
}

CHILD_PROCESS(memory_of_others) {
  const pid_t holder = start_holder(false);
  CHECK(holder > 0);
  Context context = make_context();
  std::vector<Buffer> buffers;
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 4 * kMiB);
  CHECK(take(context, 30 * kMiB, buffers) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  kill(holder, SIGKILL);
  CHECK(wait_for_child(holder, 10) == 128 + SIGKILL);
  CHECK(take(context, 30 * kMiB, buffers) == CL_SUCCESS);
  CHECK(take(context, 30 * kMiB, buffers) == CL_SUCCESS);
  return 0;
}

TEST_F(DeviceMemoryTest, IsSharedWithOtherProcessesAndComesBackFromTheDead) {
  expect_success("memory_of_others");
}

CHILD_PROCESS(memory_of_ended) {
  const pid_t holder = start_holder(true);
  CHECK(holder > 0);
  CHECK(wait_for_child(holder, 10) == 0);
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 64 * kMiB);
  return 0;
}

TEST_F(DeviceMemoryTest, ComesBackFromAProcessThatEnds) {
  expect_success("memory_of_ended");
}

// What a forked child releases is its copy of the object, not its parent's memory.
CHILD_PROCESS(memory_in_a_fork) {
  Context context = make_context();
  std::vector<Buffer> buffers;
  CHECK(take(context, 32 * kMiB, buffers) == CL_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    buffers.clear();
    std::exit(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 32 * kMiB ? 0 : 1);
  }
  CHECK(wait_for_child(child, 10) == 0);
  CHECK(device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI) == 32 * kMiB);
  return 0;
}

TEST_F(DeviceMemoryTest, StaysTheParentsInAFork) {
  expect_success("memory_in_a_fork");
}

// Images take memory as buffers do, but for those in the host's memory or in another object's.
CHILD_PROCESS(memory_of_images) {
  const auto left = [] { return device_size(CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI); };
  const Shape shape = {"2-D", CL_MEM_OBJECT_IMAGE2D, 2048, 4096, 0, 0};
  Context context = make_context();
  {
    Image image = make_image(context, shape, kRgba8);
    CHECK(left() == 32 * kMiB);
    Bytes host(32 * kMiB);
    Image in_host = make_image(context, shape, kRgba8, CL_MEM_USE_HOST_PTR, host.data());
    CHECK(left() == 32 * kMiB);
    cl_image_desc desc = shape.desc();
    desc.mem_object = image;
    const cl_image_format format = {CL_sRGBA, CL_UNORM_INT8};
    Image view(clCreateImage(context, 0, &format, &desc, nullptr, nullptr));
    CHECK(view);
    CHECK(left() == 32 * kMiB);
    image.reset();
    CHECK(left() == 32 * kMiB);  // the view needs it
    desc.mem_object = nullptr;
    desc.image_width += 1;
    cl_int code = CL_SUCCESS;
    CHECK(!clCreateImage(context, 0, &kRgba8.format, &desc, nullptr, &code));
    CHECK(code == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(!clCreateImage(context, CL_MEM_USE_MSMC_TI, &kRgba8.format, &desc, nullptr, &code));
    CHECK(code == CL_INVALID_VALUE);
  }
  CHECK(left() == 64 * kMiB);
  return 0;
}

TEST_F(DeviceMemoryTest, IsTakenByImages) {
  expect_success("memory_of_images");
}

}  // namespace
}  // namespace conclave::test
