// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory: one address for host and kernels, of memory from clSVMAlloc and of the
// host's own.
#include <atomic>
#include <cstdint>
#include <cstring>

#include <CL/cl_ext_conclave.h>

#include "api_test.h"
#include "child_process.h"
#include "test/common/temporary_segment.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
struct node { int value; global struct node* next; };
kernel void add_to_list(global struct node* first, int more) {
  for (global struct node* n = first; n; n = n->next) n->value += more;
}
kernel void twice(global int* data) { data[get_global_id(0)] *= 2; }
kernel void table(constant int* in, global int* out, local int* scratch) {
  scratch[get_local_id(0)] = in[get_global_id(0)];
  out[get_global_id(0)] = scratch[get_local_id(0)];
}
kernel void answer(global atomic_int* question, global atomic_int* reply) {
  while (!atomic_load_explicit(question, memory_order_acquire, memory_scope_all_svm_devices));
  atomic_store_explicit(reply, 42, memory_order_release, memory_scope_all_svm_devices);
}
)";

struct Node {
  cl_int value;
  Node* next;
};

class SvmTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    capabilities_ =
        info<cl_device_svm_capabilities>(clGetDeviceInfo, device(), CL_DEVICE_SVM_CAPABILITIES);
    if (!capabilities_) GTEST_SKIP() << "no shared virtual memory";
    own_ = build(context_, kSource, "-cl-std=CL3.0");
  }
  void TearDown() override {
    if (queue_) clFinish(queue_);
    for (void* memory : made_) clSVMFree(context_, memory);
  }
  template <class T>
  T* allocate(size_t count, cl_svm_mem_flags flags = CL_MEM_READ_WRITE) {
    void* memory = clSVMAlloc(context_, flags, count * sizeof(T), 0);
    EXPECT_NE(nullptr, memory);
    made_.push_back(memory);
    return static_cast<T*>(memory);
  }
  void run(cl_kernel kernel, size_t items) {
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(clFinish(queue_));
  }
  static void expect_type(const Event& event, cl_command_type type) {
    EXPECT_EQ(type, info<cl_command_type>(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  }

  cl_device_svm_capabilities capabilities_ = 0;
  Program own_;
  std::vector<void*> made_;
};

TEST_F(SvmTest, IsOfEveryKind) {
  CONCLAVE_ONLY();
  EXPECT_EQ(cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
                                       CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                       CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS},
            capabilities_);
}

TEST_F(SvmTest, KernelsFollowPointers) {
  Node on_heap{1, nullptr};
  auto* first = allocate<Node>(2);
  auto* second = allocate<Node>(1);
  first[0] = {10, &first[1]};
  first[1] = {20, second};
  *second = {30, capabilities_ & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? &on_heap : nullptr};
  Kernel add = make_kernel(own_, "add_to_list");
  const void* reached[] = {second};
  const cl_int more = 5;
  EXPECT_OK(clSetKernelArgSVMPointer(add, 0, first));
  EXPECT_OK(clSetKernelArg(add, 1, sizeof more, &more));
  EXPECT_OK(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
  run(add, 1);
  EXPECT_EQ(15, first[0].value);
  EXPECT_EQ(25, first[1].value);
  EXPECT_EQ(35, second->value);
  EXPECT_EQ(capabilities_ & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? 6 : 1, on_heap.value);
}

TEST_F(SvmTest, ArgumentsAreAddressesInAllocations) {
  auto* memory = allocate<cl_int>(8);
  for (int i = 0; i < 8; ++i) memory[i] = i;
  Kernel twice = make_kernel(own_, "twice");
  EXPECT_OK(clSetKernelArgSVMPointer(twice, 0, memory + 2));
  cl_int code = 1;
  Kernel copy(clCloneKernel(twice, &code));
  EXPECT_OK(code);
  // A buffer takes the address's place in one of them.
  Buffer buffer = make_buffer(context_, std::vector<int>(4, 7));
  EXPECT_OK(clSetKernelArg(twice, 0, sizeof(cl_mem), buffer.list()));
  run(twice, 4);
  run(copy, 4);
  const cl_int wanted[] = {0, 1, 4, 6, 8, 10, 6, 7};
  EXPECT_EQ(0, std::memcmp(memory, wanted, sizeof wanted));
  EXPECT_EQ(std::vector<int>(4, 14), contents(queue_, buffer, 4));
}

TEST_F(SvmTest, HostAndKernelSpeakWhileItRuns) {
  if (!(capabilities_ & CL_DEVICE_SVM_ATOMICS)) GTEST_SKIP() << "no atomics";
  auto* words = allocate<std::atomic<cl_int>>(
      64, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  words[0] = words[32] = 0;
  Kernel answer = make_kernel(own_, "answer");
  EXPECT_OK(clSetKernelArgSVMPointer(answer, 0, &words[0]));
  EXPECT_OK(clSetKernelArgSVMPointer(answer, 1, &words[32]));
  const size_t one = 1;
  EXPECT_OK(clEnqueueNDRangeKernel(queue_, answer, 1, nullptr, &one, &one, 0, nullptr, nullptr));
  EXPECT_OK(clFlush(queue_));
  words[0].store(1, std::memory_order_release);
  EXPECT_TRUE(eventually([&] { return words[32].load(std::memory_order_acquire) == 42; }, 30));
}

TEST_F(SvmTest, CommandsCopyAndFill) {
  auto *from = allocate<cl_int>(64), *to = allocate<cl_int>(64);
  const cl_int pattern[] = {3, 4};
  Event filled, copied, mapped, unmapped, migrated, nothing;
  EXPECT_OK(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_WRITE, to, 256, 0, nullptr, mapped.out()));
  std::memset(to, 0, 256);
  EXPECT_OK(clEnqueueSVMUnmap(queue_, to, 0, nullptr, unmapped.out()));
  EXPECT_OK(
      clEnqueueSVMMemFill(queue_, from, pattern, sizeof pattern, 256, 0, nullptr, filled.out()));
  const void* pointers[] = {from + 1, to};
  const size_t sizes[] = {252, 0};
  EXPECT_OK(clEnqueueSVMMigrateMem(queue_, 2, pointers, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0,
                                   nullptr, migrated.out()));
  EXPECT_OK(clEnqueueSVMMemcpy(queue_, CL_TRUE, to + 1, from, 128, 1, filled.list(), copied.out()));
  EXPECT_OK(clEnqueueSVMMemcpy(queue_, CL_TRUE, to, from, 0, 0, nullptr, nothing.out()));
  EXPECT_EQ(0, to[0]);
  EXPECT_EQ(3, to[1]);
  EXPECT_EQ(4, to[32]);
  EXPECT_EQ(0, to[33]);
  expect_type(filled, CL_COMMAND_SVM_MEMFILL);
  expect_type(copied, CL_COMMAND_SVM_MEMCPY);
  expect_type(mapped, CL_COMMAND_SVM_MAP);
  expect_type(unmapped, CL_COMMAND_SVM_UNMAP);
  expect_type(migrated, CL_COMMAND_SVM_MIGRATE_MEM);
}

void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void* pointers[], void* data) {
  cl_context context = info<cl_context>(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT);
  for (cl_uint i = 0; i < count; ++i) clSVMFree(context, pointers[i]);
  static_cast<std::atomic<cl_uint>*>(data)->fetch_add(count);
}

TEST_F(SvmTest, CommandsFree) {
  std::atomic<cl_uint> freed{0};
  void* pointers[] = {clSVMAlloc(context_, 0, 64, 0), clSVMAlloc(context_, 0, 64, 64), nullptr};
  Event event, none, other;
  EXPECT_OK(clEnqueueSVMFree(queue_, 2, pointers, free_them, &freed, 0, nullptr, event.out()));
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(2u, freed);
  expect_type(event, CL_COMMAND_SVM_FREE);
  pointers[0] = clSVMAlloc(context_, 0, 64, 0);
  void* copy[] = {pointers[0], pointers[2]};
  EXPECT_OK(clEnqueueSVMFree(queue_, 2, copy, nullptr, nullptr, 0, nullptr, other.out()));
  copy[0] = nullptr;  // the command has a list of its own
  EXPECT_OK(clEnqueueSVMFree(queue_, 0, nullptr, nullptr, nullptr, 0, nullptr, none.out()));
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(CL_COMPLETE, event_status(other));
  CONCLAVE_ONLY();  // it knows the address no more
  const void* gone[] = {pointers[0]};
  EXPECT_CL(CL_INVALID_VALUE,
            clEnqueueSVMMigrateMem(queue_, 1, gone, nullptr, 0, 0, nullptr, nullptr));
}

TEST_F(SvmTest, BuffersKnowSharedMemory) {
  auto* memory = allocate<cl_int>(64);
  std::vector<cl_int> plain(64);
  Buffer shared = make_buffer(context_, 128, CL_MEM_USE_HOST_PTR, memory + 32);
  Buffer other = make_buffer(context_, 256, CL_MEM_USE_HOST_PTR, plain.data());
  const auto uses = [](cl_mem m) {
    return info<cl_bool>(clGetMemObjectInfo, m, CL_MEM_USES_SVM_POINTER);
  };
  EXPECT_EQ(CL_TRUE, uses(shared));
  // The specification says that all of the host's memory is such where the device has all of it.
  EXPECT_EQ((capabilities_ & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0, uses(other));
  EXPECT_EQ(CL_FALSE, uses(make_buffer(context_, 64)));
  expect_all({
      BAD_CREATE(CL_INVALID_BUFFER_SIZE,
                 clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 512, memory, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE,
                 clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 132, memory + 32, err)),
  });
}

TEST_F(SvmTest, BadAllocationsAreRefused) {
  const auto most = info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  struct Case {
    cl_context context;
    cl_svm_mem_flags flags;
    size_t size;
    cl_uint alignment;
  };
  const Case kCases[] = {{nullptr, CL_MEM_READ_WRITE, 64, 0},
                         {context_, CL_MEM_READ_WRITE, 0, 0},
                         {context_, CL_MEM_READ_WRITE, most + 1, 0},
                         {context_, CL_MEM_READ_WRITE, SIZE_MAX, 0},
                         {context_, CL_MEM_READ_WRITE, 64, 3},
                         {context_, CL_MEM_READ_WRITE, 64, 256},
                         {context_, CL_MEM_READ_WRITE, 64, 1u << 31},
                         {context_, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0},
                         {context_, CL_MEM_USE_HOST_PTR, 64, 0},
                         {context_, CL_MEM_SVM_ATOMICS, 64, 0},
                         {context_, ~cl_svm_mem_flags{0}, 64, 0}};
  for (const Case& c : kCases)
    EXPECT_EQ(nullptr, clSVMAlloc(c.context, c.flags, c.size, c.alignment))
        << c.flags << ", " << c.size << " bytes, alignment " << c.alignment;
  for (cl_uint alignment = 1; alignment <= 128; alignment *= 2) {
    void* memory = clSVMAlloc(context_, CL_MEM_READ_ONLY, 1, alignment);
    EXPECT_NE(nullptr, memory);
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % alignment);
    clSVMFree(context_, memory);
  }
  clSVMFree(context_, nullptr);
  CONCLAVE_ONLY();
  int mine = 0;
  clSVMFree(context_, &mine);  // nothing happens
  clSVMFree(nullptr, &mine);
}

TEST_F(SvmTest, BadTransfersAreRefused) {
  auto* m = allocate<char>(256);
  Context other = make_context();
  Event strange = user_event(other);
  const cl_event wrong = strange;
  const char pattern[128] = {};
  char* const end = reinterpret_cast<char*>(UINTPTR_MAX - 15);
  const auto copy = [&](cl_command_queue q, void* to, const void* from, size_t size,
                        cl_uint events = 0, const cl_event* list = nullptr) {
    return clEnqueueSVMMemcpy(q, CL_TRUE, to, from, size, events, list, nullptr);
  };
  const auto fill = [&](cl_command_queue q, void* to, const void* what, size_t pattern_size,
                        size_t size, cl_uint events = 0, const cl_event* list = nullptr) {
    return clEnqueueSVMMemFill(q, to, what, pattern_size, size, events, list, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, copy(nullptr, m, m + 64, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, nullptr, m, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, m, nullptr, 64)),
      BAD(CL_MEM_COPY_OVERLAP, copy(queue_, m, m + 63, 64)),
      BAD(CL_MEM_COPY_OVERLAP, copy(queue_, m + 63, m, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, m, end, 64)),
      BAD(CL_INVALID_VALUE, copy(queue_, m, m + 64, SIZE_MAX)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, copy(queue_, m, m + 64, 64, 1, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, copy(queue_, m, m + 64, 64, 0, &wrong)),
      BAD(CL_INVALID_CONTEXT, copy(queue_, m, m + 64, 64, 1, &wrong)),
      BAD(CL_INVALID_COMMAND_QUEUE, fill(nullptr, m, pattern, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, nullptr, pattern, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, m + 2, pattern, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, nullptr, 4, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, pattern, 0, 64)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, pattern, 3, 63)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, pattern, 256, 256)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, pattern, 4, 63)),
      BAD(CL_INVALID_VALUE, fill(queue_, m, pattern, 128, SIZE_MAX - 127)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, fill(queue_, m, pattern, 4, 64, 1, nullptr)),
      BAD(CL_INVALID_CONTEXT, fill(queue_, m, pattern, 4, 64, 1, &wrong)),
  });
  EXPECT_OK(clSetUserEventStatus(strange, CL_COMPLETE));
}

TEST_F(SvmTest, BadMappingsAndMigrationsAreRefused) {
  auto* m = allocate<char>(256);
  char mine[64] = {};
  const void* pointers[] = {m};
  const void* outside[] = {mine};
  void* list[] = {m};
  const size_t fits[] = {256}, too_large[] = {257}, wraps[] = {SIZE_MAX};
  const auto map = [&](cl_command_queue q, cl_map_flags flags, void* at, size_t size) {
    return clEnqueueSVMMap(q, CL_TRUE, flags, at, size, 0, nullptr, nullptr);
  };
  const auto migrate = [&](cl_command_queue q, cl_uint count, const void** at, const size_t* sizes,
                           cl_mem_migration_flags flags) {
    return clEnqueueSVMMigrateMem(q, count, at, sizes, flags, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, map(nullptr, CL_MAP_READ, m, 64)),
      BAD(CL_INVALID_VALUE, map(queue_, CL_MAP_READ, nullptr, 64)),
      BAD(CL_INVALID_VALUE, map(queue_, CL_MAP_READ, m, 0)),
      BAD(CL_INVALID_VALUE, map(queue_, 1 << 10, m, 64)),
      BAD(CL_INVALID_VALUE, map(queue_, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, m, 64)),
      BAD(CL_INVALID_EVENT_WAIT_LIST,
          clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, m, 64, 1, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(nullptr, m, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue_, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMUnmap(queue_, m, 1, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, migrate(nullptr, 1, pointers, fits, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 0, pointers, fits, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 1, nullptr, fits, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 1, pointers, too_large, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 1, pointers, wraps, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 1, outside, fits, 0)),
      BAD(CL_INVALID_VALUE, migrate(queue_, 1, pointers, fits, 1 << 5)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          clEnqueueSVMFree(nullptr, 1, list, nullptr, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          clEnqueueSVMFree(queue_, 0, list, nullptr, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          clEnqueueSVMFree(queue_, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST,
          clEnqueueSVMFree(queue_, 1, list, nullptr, nullptr, 1, nullptr, nullptr)),
  });
}

TEST_F(SvmTest, BadArgumentsOfKernelsAreRefused) {
  auto* m = allocate<cl_int>(64);
  Kernel table = make_kernel(own_, "table"), add = make_kernel(own_, "add_to_list");
  const void* pointers[] = {m};
  const cl_bool yes = CL_TRUE;
  const auto execution = [&](cl_kernel k, cl_kernel_exec_info name, size_t size, const void* v) {
    return clSetKernelExecInfo(k, name, size, v);
  };
  expect_all({
      BAD(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(nullptr, 0, m)),
      BAD(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(table, 3, m)),
      BAD(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(table, ~0u, m)),
      BAD(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(table, 2, m)),  // local memory
      BAD(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(add, 1, m)),    // a number
      BAD(CL_INVALID_KERNEL,
          execution(nullptr, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers)),
      BAD(CL_INVALID_VALUE, execution(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, nullptr)),
      BAD(CL_INVALID_VALUE, execution(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, pointers)),
      BAD(CL_INVALID_VALUE, execution(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, pointers)),
      BAD(CL_INVALID_VALUE, execution(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes)),
      BAD(CL_INVALID_VALUE,
          execution(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, nullptr)),
      BAD(CL_INVALID_VALUE, execution(add, 0x1234, sizeof yes, &yes)),
  });
  EXPECT_OK(clSetKernelArgSVMPointer(table, 0, nullptr));
  EXPECT_OK(execution(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
  EXPECT_OK(execution(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr));
  EXPECT_OK(execution(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
}

// In a device of 64 MiB.
CHILD_PROCESS(svm_takes_room) {
  constexpr size_t kMiB = 1 << 20;
  const auto left = [] {
    return info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI);
  };
  Context context = make_context();
  const cl_ulong before = left();
  void* first = clSVMAlloc(context, CL_MEM_READ_WRITE, 24 * kMiB, 0);
  void* second = clSVMAlloc(context, CL_MEM_READ_WRITE, 24 * kMiB, 0);
  CHECK(first && second && before - left() == 48 * kMiB);
  CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 24 * kMiB, 0));
  clSVMFree(context, first);
  CHECK(before - left() == 24 * kMiB || left() == 24 * kMiB);
  context.reset();  // what the host forgot goes with the context
  CHECK(left() == before);
  return 0;
}

TEST(SvmHeapTest, AllocationsTakeRoomOnTheDevice) {
  CONCLAVE_ONLY();
  const TemporarySegment segment;
  const ChildResult result = run_child("svm_takes_room", {{"CONCLAVE_SEGMENT", segment.name()},
                                                          {"CONCLAVE_DDR_HEAP1_SIZE_MIB", "64"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

}  // namespace
}  // namespace conclave::test
