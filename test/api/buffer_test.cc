// SPDX-License-Identifier: Apache-2.0
// Buffers and sub-buffers: creation, host pointers, queries, destruction.
#include <atomic>
#include <cstring>
#include <numeric>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

class BufferTest : public ApiTest {
 protected:
  // The first value after `CL_DEVICE_MEM_BASE_ADDR_ALIGN` that a sub-buffer may start at, bytes.
  size_t alignment() const {
    return info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  }
};

Query query(cl_mem mem, cl_mem_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetMemObjectInfo(mem, name, size, value, ret);
  };
}

template <typename T>
T value_of(cl_mem mem, cl_mem_info name) {
  return info<T>(clGetMemObjectInfo, mem, name);
}

TEST_F(BufferTest, EveryQueryHasTheRightSize) {
  Buffer buffer = make_buffer(context_, 4 * alignment());
  Buffer sub = sub_buffer(buffer, alignment(), alignment());
  for (cl_mem mem : {buffer.get(), sub.get()}) {
    checked_info(query(mem, CL_MEM_TYPE), one<cl_mem_object_type>);
    checked_info(query(mem, CL_MEM_FLAGS), one<cl_mem_flags>);
    checked_info(query(mem, CL_MEM_SIZE), one<size_t>);
    checked_info(query(mem, CL_MEM_HOST_PTR), one<void*>);
    checked_info(query(mem, CL_MEM_MAP_COUNT), one<cl_uint>);
    checked_info(query(mem, CL_MEM_REFERENCE_COUNT), one<cl_uint>);
    checked_info(query(mem, CL_MEM_CONTEXT), one<cl_context>);
    checked_info(query(mem, CL_MEM_ASSOCIATED_MEMOBJECT), one<cl_mem>);
    checked_info(query(mem, CL_MEM_OFFSET), one<size_t>);
    checked_info(query(mem, CL_MEM_USES_SVM_POINTER), one<cl_bool>);
    EXPECT_EQ(0u, checked_info(query(mem, CL_MEM_PROPERTIES), list_of<cl_mem_properties>).size());
  }
}

TEST_F(BufferTest, QueriesTellWhatWasGiven) {
  Buffer buffer = make_buffer(context_, 1000, CL_MEM_READ_ONLY);
  EXPECT_EQ(static_cast<cl_mem_object_type>(CL_MEM_OBJECT_BUFFER),
            value_of<cl_mem_object_type>(buffer, CL_MEM_TYPE));
  EXPECT_EQ(static_cast<cl_mem_flags>(CL_MEM_READ_ONLY),
            value_of<cl_mem_flags>(buffer, CL_MEM_FLAGS));
  EXPECT_EQ(1000u, value_of<size_t>(buffer, CL_MEM_SIZE));
  EXPECT_EQ(nullptr, value_of<void*>(buffer, CL_MEM_HOST_PTR));
  EXPECT_EQ(0u, value_of<cl_uint>(buffer, CL_MEM_MAP_COUNT));
  EXPECT_EQ(1u, value_of<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT));
  EXPECT_EQ(context_.get(), value_of<cl_context>(buffer, CL_MEM_CONTEXT));
  EXPECT_EQ(nullptr, value_of<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(0u, value_of<size_t>(buffer, CL_MEM_OFFSET));
  EXPECT_FALSE(value_of<cl_bool>(buffer, CL_MEM_USES_SVM_POINTER));
  EXPECT_OK(clRetainMemObject(buffer));
  EXPECT_EQ(2u, value_of<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT));
  EXPECT_OK(clReleaseMemObject(buffer));
  EXPECT_EQ(1u, value_of<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT));
}

TEST_F(BufferTest, FlagsOfABufferWithoutFlagsAreZeroOrReadWrite) {
  // "return the flags argument value specified", where the default is READ_WRITE
  Buffer buffer = make_buffer(context_, 64, 0);
  EXPECT_EQ(0u, value_of<cl_mem_flags>(buffer, CL_MEM_FLAGS) & ~cl_mem_flags{CL_MEM_READ_WRITE});
}

// The specification leaves it open. FFmpeg's tonemap_opencl takes an index from a buffer that nobody
// has written.
TEST_F(BufferTest, SmallBuffersBeginWithZeros) {
  CONCLAVE_ONLY();
  for (const size_t count : {1u, 133u, 1024u}) {
    const std::vector<int> zeros(count);
    for (int round = 0; round < 8; ++round) {  // in memory that the last one has left
      Buffer buffer = make_buffer(context_, count * sizeof(int));
      EXPECT_EQ(zeros, contents(queue_, buffer, count));
      const std::vector<int> used(count, -1);
      ASSERT_OK(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(int), used.data(),
                                     0, nullptr, nullptr));
    }
  }
}

TEST_F(BufferTest, CopyHostPtrTakesASnapshot) {
  std::vector<int> data = {1, 2, 3, 4};
  Buffer buffer = make_buffer(context_, data);
  std::vector<int> before = data;
  data.assign(4, 0);
  EXPECT_EQ(before, contents(queue_, buffer, 4));
  EXPECT_EQ(nullptr, value_of<void*>(buffer, CL_MEM_HOST_PTR));
}

TEST_F(BufferTest, AllocAndCopyHostPtrTogether) {
  std::vector<int> data = {5, 6, 7};
  Buffer buffer = make_buffer(context_, sizeof(int) * 3,
                              CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, data.data());
  EXPECT_EQ(data, contents(queue_, buffer, 3));
}

// The host memory of a USE_HOST_PTR buffer need not be aligned beyond its element type, and holds
// what kernels wrote once it is mapped.
TEST_F(BufferTest, UseHostPtrIsWrittenWhenMapped) {
  std::vector<int> data(33);
  std::iota(data.begin(), data.end(), 0);
  int* host = data.data() + 1;
  Buffer buffer = make_buffer(context_, 32 * sizeof(int), CL_MEM_USE_HOST_PTR, host);
  EXPECT_EQ(host, value_of<void*>(buffer, CL_MEM_HOST_PTR));
  Kernel add = kernel("add");
  int amount = 100;
  size_t items = 32;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), buffer.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  cl_int err = 0;
  void* mapped = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ, 0, 32 * sizeof(int), 0,
                                    nullptr, nullptr, &err);
  ASSERT_OK(err);
  EXPECT_EQ(host, mapped);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(i + 101, host[i]);
  EXPECT_OK(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr));
  EXPECT_EQ(0, data[0]);
  EXPECT_OK(clFinish(queue_));
}

TEST_F(BufferTest, SubBufferOfUseHostPtrPointsIntoIt) {
  std::vector<char> host(4 * alignment());
  Buffer parent = make_buffer(context_, host.size(), CL_MEM_USE_HOST_PTR, host.data());
  Buffer sub = sub_buffer(parent, 2 * alignment(), alignment());
  EXPECT_EQ(host.data() + 2 * alignment(), value_of<void*>(sub, CL_MEM_HOST_PTR));
}

TEST_F(BufferTest, SubBufferSharesItsParentsMemory) {
  size_t step = alignment();
  Buffer parent = make_buffer(context_, std::vector<int>(4 * step / sizeof(int), 1));
  Buffer sub = sub_buffer(parent, step, 2 * step);
  EXPECT_EQ(parent.get(), value_of<cl_mem>(sub, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(step, value_of<size_t>(sub, CL_MEM_OFFSET));
  EXPECT_EQ(2 * step, value_of<size_t>(sub, CL_MEM_SIZE));
  EXPECT_EQ(context_.get(), value_of<cl_context>(sub, CL_MEM_CONTEXT));

  Kernel add = kernel("add");
  int amount = 41;
  size_t items = 2 * step / sizeof(int);
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), sub.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  std::vector<int> all = contents(queue_, parent, 4 * step / sizeof(int));
  for (size_t i = 0; i < all.size(); ++i) {
    bool inside = i >= step / sizeof(int) && i < 3 * step / sizeof(int);
    ASSERT_EQ(inside ? 42 : 1, all[i]) << "element " << i;
  }
}

TEST_F(BufferTest, SubBufferInheritsAccessFlags) {
  Buffer parent = make_buffer(context_, 4 * alignment(), CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
  Buffer sub = sub_buffer(parent, 0, alignment());
  cl_mem_flags inherited = CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
  EXPECT_EQ(inherited, value_of<cl_mem_flags>(sub, CL_MEM_FLAGS) & inherited);
  int value = 0;
  EXPECT_CL(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue_, sub, CL_TRUE, 0, sizeof value, &value,
                                                      0, nullptr, nullptr));
}

TEST_F(BufferTest, SubBufferKeepsItsParentAlive) {
  Buffer parent = make_buffer(context_, std::vector<int>(alignment(), 9));
  Buffer sub = sub_buffer(parent, 0, alignment());
  parent.reset();
  EXPECT_EQ(std::vector<int>(4, 9), contents(queue_, sub, 4));
}

TEST_F(BufferTest, CreatedWithProperties) {
  const cl_mem_properties kNone[] = {0};
  cl_int err = 0;
  Buffer buffer(
      clCreateBufferWithProperties(context_, kNone, CL_MEM_READ_WRITE, 64, nullptr, &err));
  ASSERT_OK(err);
  // "must return the values specified in the properties argument in the same order"
  EXPECT_EQ(sizeof kNone,
            checked_info(query(buffer, CL_MEM_PROPERTIES), list_of<cl_mem_properties>).size());
  Buffer plain(clCreateBufferWithProperties(context_, nullptr, 0, 64, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ(0u, checked_info(query(plain, CL_MEM_PROPERTIES), list_of<cl_mem_properties>).size());
}

std::vector<int> g_order;
std::atomic<int> g_calls{0};  // the size of g_order, once that may be read
void CL_CALLBACK note_mem(cl_mem, void* which) {
  g_order.push_back(*static_cast<int*>(which));
  ++g_calls;
}

TEST_F(BufferTest, DestructorCallbacksRunLastRegisteredFirst) {
  g_order.clear();
  g_calls = 0;
  int first = 1, second = 2, third = 3;
  Buffer buffer = make_buffer(context_, 64);
  for (int* which : {&first, &second, &third}) {
    EXPECT_OK(clSetMemObjectDestructorCallback(buffer, note_mem, which));
  }
  EXPECT_OK(clRetainMemObject(buffer));
  EXPECT_OK(clReleaseMemObject(buffer));
  EXPECT_EQ(0, g_calls);
  buffer.reset();
  // "may be called asynchronously"
  EXPECT_TRUE(eventually([] { return g_calls == 3; }));
  EXPECT_EQ((std::vector<int>{3, 2, 1}), g_order);
}

// "the memory object is deleted [when] commands queued for execution on a command-queue(s) that use
// memobj have finished": the host memory is the program's again only after the callback.
TEST_F(BufferTest, IsDeletedAfterTheCommandsThatUseIt) {
  g_order.clear();
  g_calls = 0;
  int which = 5;
  std::vector<int> host(16, 1);
  Buffer buffer = make_buffer(context_, 64, CL_MEM_USE_HOST_PTR, host.data());
  EXPECT_OK(clSetMemObjectDestructorCallback(buffer, note_mem, &which));
  Event gate = user_event(context_), done;
  int three = 3;
  ASSERT_OK(clEnqueueFillBuffer(queue_, buffer, &three, 4, 0, 64, 1, gate.list(), done.out()));
  buffer.reset();
  EXPECT_EQ(0, g_calls);
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_OK(clFinish(queue_));
  done.reset();
  EXPECT_TRUE(eventually([] { return g_calls == 1; })) << "not deleted";
  EXPECT_EQ(std::vector<int>{5}, g_order);
  EXPECT_EQ(std::vector<int>(16, 3), host);
}

TEST_F(BufferTest, BadCreationIsRefused) {
  char host[64] = {};
  size_t too_large =
      static_cast<size_t>(info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE)) +
      1;
  const cl_mem_properties kUnknown[] = {0x7777, 1, 0};
  constexpr cl_mem_flags kReadAndWriteOnly = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  constexpr cl_mem_flags kHostBoth = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  constexpr cl_mem_flags kHostReadWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
  constexpr cl_mem_flags kUseAndCopy = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  constexpr cl_mem_flags kUseAndAlloc = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateBuffer(nullptr, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context_, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context_, 0, too_large, nullptr, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context_, 0, SIZE_MAX, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, kReadAndWriteOnly, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, kHostBoth, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, kHostReadWrite, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, kUseAndCopy, 64, host, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, kUseAndAlloc, 64, host, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateBuffer(context_, 1ull << 40, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR,
                 clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR,
                 clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, clCreateBuffer(context_, 0, 64, host, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR,
                 clCreateBuffer(context_, CL_MEM_ALLOC_HOST_PTR, 64, host, err)),
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateBufferWithProperties(context_, kUnknown, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 clCreateBufferWithProperties(nullptr, nullptr, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE,
                 clCreateBufferWithProperties(context_, nullptr, 0, 0, nullptr, err)),
  });
}

TEST_F(BufferTest, BadSubBufferIsRefused) {
  size_t step = alignment();
  Buffer buffer = make_buffer(context_, 4 * step);
  Buffer read_only = make_buffer(context_, 4 * step, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
  Buffer write_only = make_buffer(context_, 4 * step, CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY);
  Buffer no_access = make_buffer(context_, 4 * step, CL_MEM_HOST_NO_ACCESS);
  Buffer sub = sub_buffer(buffer, 0, step);
  const auto kRegion = CL_BUFFER_CREATE_TYPE_REGION;
  auto create = [&](cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_int* err) {
    cl_buffer_region region{origin, size};
    return clCreateSubBuffer(parent, flags, kRegion, &region, err);
  };
  cl_buffer_region good{0, step};
  expect_all({
      BAD_CREATE(CL_INVALID_MEM_OBJECT, create(nullptr, 0, 0, step, err)),
      BAD_CREATE(CL_INVALID_MEM_OBJECT, create(sub, 0, 0, step / 2, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, kRegion, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, 0, &good, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, create(buffer, 0, 0, 0, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, 0, 0, 4 * step + 1, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, 0, 4 * step, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, 0, step, SIZE_MAX - step + 1, err)),
      BAD_CREATE(CL_MISALIGNED_SUB_BUFFER_OFFSET, create(buffer, 0, 1, step, err)),
      BAD_CREATE(CL_MISALIGNED_SUB_BUFFER_OFFSET, create(buffer, 0, step / 2, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(read_only, CL_MEM_READ_WRITE, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(read_only, CL_MEM_WRITE_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(write_only, CL_MEM_READ_WRITE, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(write_only, CL_MEM_READ_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(read_only, CL_MEM_HOST_WRITE_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(write_only, CL_MEM_HOST_READ_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(no_access, CL_MEM_HOST_READ_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(no_access, CL_MEM_HOST_WRITE_ONLY, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, CL_MEM_USE_HOST_PTR, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, CL_MEM_ALLOC_HOST_PTR, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, CL_MEM_COPY_HOST_PTR, 0, step, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(buffer, 1ull << 40, 0, step, err)),
  });
}

TEST_F(BufferTest, BadArgumentsAreRefused) {
  Buffer buffer = make_buffer(context_, 64);
  cl_uint value = 0;
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT, clRetainMemObject(nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clReleaseMemObject(nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(nullptr, CL_MEM_SIZE, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, CL_MEM_SIZE, 4, &value, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(nullptr, note_mem, nullptr)),
      BAD(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_FORMAT, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr)),
  });
}

}  // namespace
}  // namespace conclave::test
