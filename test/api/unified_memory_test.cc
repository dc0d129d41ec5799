// SPDX-License-Identifier: Apache-2.0
// cl_intel_unified_shared_memory: host, device and shared allocations, their queries, and commands
// on them.
#include <CL/cl_ext.h>

#include <cstdint>
#include <cstring>

#include "api_test.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
kernel void twice(global int* data) { data[get_global_id(0)] *= 2; }
kernel void through(global int* global* list, local int* scratch) {
  if (list[1]) list[1][0] = list[0][0];
}
)";

struct Functions {
#define FUNCTION(name)                                          \
  decltype(::name)* name = reinterpret_cast<decltype(::name)*>( \
      clGetExtensionFunctionAddressForPlatform(platform(), #name))
  FUNCTION(clHostMemAllocINTEL);
  FUNCTION(clDeviceMemAllocINTEL);
  FUNCTION(clSharedMemAllocINTEL);
  FUNCTION(clMemFreeINTEL);
  FUNCTION(clMemBlockingFreeINTEL);
  FUNCTION(clGetMemAllocInfoINTEL);
  FUNCTION(clSetKernelArgMemPointerINTEL);
  FUNCTION(clEnqueueMemFillINTEL);
  FUNCTION(clEnqueueMemsetINTEL);
  FUNCTION(clEnqueueMemcpyINTEL);
  FUNCTION(clEnqueueMigrateMemINTEL);
  FUNCTION(clEnqueueMemAdviseINTEL);
#undef FUNCTION
};

class UnifiedMemoryTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (device_text(device(), CL_DEVICE_EXTENSIONS).find("cl_intel_unified_shared_memory") ==
        std::string::npos)
      GTEST_SKIP() << "no cl_intel_unified_shared_memory";
    own_ = build(context_, kSource, "-cl-std=CL3.0");
    cl_int code = 1;
    host_ = static_cast<cl_int*>(f.clHostMemAllocINTEL(context_, nullptr, 256, 0, &code));
    ASSERT_OK(code);
    device_ = static_cast<cl_int*>(
        f.clDeviceMemAllocINTEL(context_, device(), nullptr, 256, 4096, &code));
    ASSERT_OK(code);
    const cl_mem_properties_intel flags[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                             CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    shared_ =
        static_cast<cl_int*>(f.clSharedMemAllocINTEL(context_, device(), flags, 256, 64, &code));
    ASSERT_OK(code);
  }
  void TearDown() override {
    if (!context_ || !host_) return;
    EXPECT_OK(f.clMemBlockingFreeINTEL(context_, device_));
    EXPECT_OK(f.clMemFreeINTEL(context_, host_));
    EXPECT_OK(f.clMemFreeINTEL(context_, shared_));
  }
  template <class T>
  T about(const void* address, cl_mem_info_intel name) {
    T value{};
    EXPECT_OK(f.clGetMemAllocInfoINTEL(context_, address, name, sizeof value, &value, nullptr));
    return value;
  }
  auto type(const void* address) {
    return about<cl_unified_shared_memory_type_intel>(address, CL_MEM_ALLOC_TYPE_INTEL);
  }

  const Functions f;
  Program own_;
  cl_int *host_ = nullptr, *device_ = nullptr, *shared_ = nullptr;
};

TEST_F(UnifiedMemoryTest, DeviceTellsWhatItCanDo) {
  for (cl_device_info name :
       {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL}) {
    const auto query = [name](size_t size, void* value, size_t* ret) {
      return clGetDeviceInfo(device(), name, size, value, ret);
    };
    checked_info(query, one<cl_device_unified_shared_memory_capabilities_intel>);
    const auto all =
        info<cl_device_unified_shared_memory_capabilities_intel>(clGetDeviceInfo, device(), name);
    EXPECT_EQ(15u, is_conclave() ? all : 15u);
  }
}

TEST_F(UnifiedMemoryTest, AllocationsTellWhatTheyAre) {
  EXPECT_EQ(unsigned{CL_MEM_TYPE_HOST_INTEL}, type(host_));
  EXPECT_EQ(unsigned{CL_MEM_TYPE_DEVICE_INTEL}, type(device_ + 63));
  EXPECT_EQ(unsigned{CL_MEM_TYPE_SHARED_INTEL}, type(shared_ + 1));
  EXPECT_EQ(device_, about<void*>(device_ + 63, CL_MEM_ALLOC_BASE_PTR_INTEL));
  EXPECT_EQ(256u, about<size_t>(host_, CL_MEM_ALLOC_SIZE_INTEL));
  EXPECT_EQ(nullptr, about<cl_device_id>(host_, CL_MEM_ALLOC_DEVICE_INTEL));
  EXPECT_EQ(device(), about<cl_device_id>(device_, CL_MEM_ALLOC_DEVICE_INTEL));
  EXPECT_EQ(device(), about<cl_device_id>(shared_, CL_MEM_ALLOC_DEVICE_INTEL));
  EXPECT_EQ(0u, about<cl_mem_alloc_flags_intel>(host_, CL_MEM_ALLOC_FLAGS_INTEL));
  EXPECT_EQ(cl_mem_alloc_flags_intel{CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL},
            about<cl_mem_alloc_flags_intel>(shared_, CL_MEM_ALLOC_FLAGS_INTEL));
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(device_) % 4096);
  // Everything else is unknown.
  int mine = 0;
  void* svm = clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0);
  for (const void* other : {static_cast<void*>(&mine), static_cast<void*>(nullptr), svm}) {
    EXPECT_EQ(unsigned{CL_MEM_TYPE_UNKNOWN_INTEL}, type(other));
    EXPECT_EQ(nullptr, about<void*>(other, CL_MEM_ALLOC_BASE_PTR_INTEL));
    EXPECT_EQ(0u, about<size_t>(other, CL_MEM_ALLOC_SIZE_INTEL));
    EXPECT_EQ(nullptr, about<cl_device_id>(other, CL_MEM_ALLOC_DEVICE_INTEL));
  }
  clSVMFree(context_, svm);
}

TEST_F(UnifiedMemoryTest, KernelsAndCommandsUseThem) {
  Event filled, copied, migrated, advised, set;
  const cl_int pattern = 21;
  EXPECT_OK(f.clEnqueueMemFillINTEL(queue_, device_, &pattern, sizeof pattern, 256, 0, nullptr,
                                    filled.out()));
  Kernel twice = make_kernel(own_, "twice"), through = make_kernel(own_, "through");
  EXPECT_OK(f.clSetKernelArgMemPointerINTEL(twice, 0, device_));
  const size_t items = 32, one_item = 1;
  EXPECT_OK(
      clEnqueueNDRangeKernel(queue_, twice, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_OK(f.clEnqueueMigrateMemINTEL(queue_, device_, 256, 0, 0, nullptr, migrated.out()));
  EXPECT_OK(f.clEnqueueMemAdviseINTEL(queue_, device_, 256, 0, 0, nullptr, advised.out()));
  EXPECT_OK(f.clEnqueueMemcpyINTEL(queue_, CL_TRUE, host_, device_, 256, 0, nullptr, copied.out()));
  EXPECT_EQ(42, host_[31]);
  EXPECT_EQ(21, host_[32]);
  EXPECT_OK(f.clEnqueueMemsetINTEL(queue_, host_, 0x101, 8, 0, nullptr, set.out()));
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(0x01010101, host_[1]);
  EXPECT_EQ(42, host_[2]);
  // Addresses in memory.
  cl_int* list[] = {host_ + 2, shared_};
  std::memcpy(device_, list, sizeof list);
  const cl_bool yes = CL_TRUE;
  EXPECT_OK(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
                                sizeof yes, &yes));
  EXPECT_OK(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof list, list));
  EXPECT_OK(f.clSetKernelArgMemPointerINTEL(through, 0, device_));
  EXPECT_OK(clSetKernelArg(through, 1, 64, nullptr));
  EXPECT_OK(
      clEnqueueNDRangeKernel(queue_, through, 1, nullptr, &one_item, nullptr, 0, nullptr, nullptr));
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(42, shared_[0]);
  const auto type_of = [](const Event& e) {
    return info<cl_command_type>(clGetEventInfo, e, CL_EVENT_COMMAND_TYPE);
  };
  EXPECT_EQ(unsigned{CL_COMMAND_MEMFILL_INTEL}, type_of(filled));
  EXPECT_EQ(unsigned{CL_COMMAND_MEMCPY_INTEL}, type_of(copied));
  EXPECT_EQ(unsigned{CL_COMMAND_MIGRATEMEM_INTEL}, type_of(migrated));
  EXPECT_EQ(unsigned{CL_COMMAND_MEMADVISE_INTEL}, type_of(advised));
}

// The kernel may use the memory until it ends; another queue runs it.
TEST_F(UnifiedMemoryTest, BlockingFreeWaitsForAllQueues) {
  Queue other = make_queue(context_);
  Event gate = user_event(context_), ran;
  cl_int code = 1;
  void* memory = f.clSharedMemAllocINTEL(context_, nullptr, nullptr, 64, 0, &code);
  EXPECT_OK(code);
  const cl_int zero = 0;
  EXPECT_OK(f.clEnqueueMemFillINTEL(other, memory, &zero, 4, 64, 1, gate.list(), ran.out()));
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_OK(f.clMemBlockingFreeINTEL(context_, memory));
  EXPECT_EQ(CL_COMPLETE, event_status(ran));
  EXPECT_EQ(unsigned{CL_MEM_TYPE_UNKNOWN_INTEL}, type(memory));
}

TEST_F(UnifiedMemoryTest, BadAllocationsAreRefused) {
  const auto most = info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const cl_mem_properties_intel unknown[] = {0x1234, 0, 0};
  const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0,
                                           0};
  const cl_mem_properties_intel placed[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                            CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
  const cl_mem_properties_intel both[] = {
      CL_MEM_ALLOC_FLAGS_INTEL,
      CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0};
  const auto host = f.clHostMemAllocINTEL;
  const auto dev = f.clDeviceMemAllocINTEL;
  const auto shared = f.clSharedMemAllocINTEL;
  cl_device_id d = device();
  auto no_device = as<cl_device_id>(context_.get());
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, host(nullptr, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_CONTEXT, dev(nullptr, d, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_CONTEXT, shared(nullptr, d, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_DEVICE, dev(context_, nullptr, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_DEVICE, dev(context_, no_device, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_DEVICE, shared(context_, no_device, nullptr, 64, 0, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, host(context_, unknown, 64, 0, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, host(context_, twice, 64, 0, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, host(context_, placed, 64, 0, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, dev(context_, d, placed, 64, 0, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, shared(context_, d, both, 64, 0, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, host(context_, nullptr, 0, 0, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, dev(context_, d, nullptr, most + 1, 0, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, shared(context_, d, nullptr, SIZE_MAX, 0, err)),
      BAD_CREATE(CL_INVALID_VALUE, host(context_, nullptr, 64, 3, err)),
      BAD_CREATE(CL_INVALID_VALUE, dev(context_, d, nullptr, 64, 1u << 31, err)),
      BAD_CREATE(CL_INVALID_VALUE, shared(context_, nullptr, nullptr, 64, 48, err)),
  });
}

TEST_F(UnifiedMemoryTest, BadCallsAreRefused) {
  Kernel through = make_kernel(own_, "through");
  void* svm = clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0);
  int value = 0;
  const auto ask = [&](cl_context c, cl_mem_info_intel name, size_t size) {
    return f.clGetMemAllocInfoINTEL(c, host_, name, size, &value, nullptr);
  };
  const auto fill = [&](cl_command_queue q, void* to, const void* what, size_t each, size_t size) {
    return f.clEnqueueMemFillINTEL(q, to, what, each, size, 0, nullptr, nullptr);
  };
  const auto copy = [&](cl_command_queue q, void* to, const void* from, size_t size) {
    return f.clEnqueueMemcpyINTEL(q, CL_TRUE, to, from, size, 0, nullptr, nullptr);
  };
  const auto migrate = [&](cl_command_queue q, const void* at, cl_mem_migration_flags flags) {
    return f.clEnqueueMigrateMemINTEL(q, at, 64, flags, 0, nullptr, nullptr);
  };
  const auto advise = [&](cl_command_queue q, const void* at) {
    return f.clEnqueueMemAdviseINTEL(q, at, 64, 0, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_CONTEXT, f.clMemFreeINTEL(nullptr, host_)),
      BAD(CL_INVALID_VALUE, f.clMemFreeINTEL(context_, host_ + 1)),
      BAD(CL_INVALID_VALUE, f.clMemFreeINTEL(context_, svm)),
      BAD(CL_INVALID_VALUE, f.clMemFreeINTEL(context_, &value)),
      BAD(CL_INVALID_CONTEXT, f.clMemBlockingFreeINTEL(nullptr, host_)),
      BAD(CL_INVALID_VALUE, f.clMemBlockingFreeINTEL(context_, &value)),
      BAD(CL_INVALID_CONTEXT, ask(nullptr, CL_MEM_ALLOC_TYPE_INTEL, 4)),
      BAD(CL_INVALID_VALUE, ask(context_, CL_MEM_ALLOC_TYPE_INTEL, 3)),
      BAD(CL_INVALID_VALUE, ask(context_, 0x1234, 4)),
      BAD(CL_INVALID_KERNEL, f.clSetKernelArgMemPointerINTEL(nullptr, 0, host_)),
      BAD(CL_INVALID_ARG_INDEX, f.clSetKernelArgMemPointerINTEL(through, 2, host_)),
      BAD(CL_INVALID_ARG_VALUE, f.clSetKernelArgMemPointerINTEL(through, 1, host_)),
      BAD(CL_INVALID_COMMAND_QUEUE, fill(nullptr, host_, &value, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, nullptr, &value, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, host_, nullptr, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, host_, &value, 3, 63)),
      BAD(CL_INVALID_VALUE, fill(queue_, host_, &value, 4, 63)),
      BAD(CL_INVALID_COMMAND_QUEUE, copy(nullptr, host_, shared_, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, nullptr, shared_, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, host_, nullptr, 64)),
      BAD(CL_MEM_COPY_OVERLAP, copy(queue_, host_, host_ + 1, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, host_, shared_, SIZE_MAX)),
      BAD(CL_INVALID_COMMAND_QUEUE, migrate(nullptr, host_, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, nullptr, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, host_, 1 << 5)),
      BAD(CL_INVALID_COMMAND_QUEUE, advise(nullptr, host_)),
      BAD(CL_INVALID_VALUE, advise(queue_, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST,
          f.clEnqueueMemsetINTEL(queue_, host_, 0, 64, 1, nullptr, nullptr)),
  });
  EXPECT_OK(f.clMemFreeINTEL(context_, nullptr));
  EXPECT_OK(f.clMemBlockingFreeINTEL(context_, nullptr));
  clSVMFree(context_, host_);  // it is no such memory: nothing happens
  EXPECT_EQ(unsigned{CL_MEM_TYPE_HOST_INTEL}, type(host_));
  clSVMFree(context_, svm);
}

}  // namespace
}  // namespace conclave::test
