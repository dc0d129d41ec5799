// SPDX-License-Identifier: Apache-2.0
// Mapping buffers into the host's address space and unmapping them.
#include <numeric>

#include "api_test.h"

namespace conclave::test {
namespace {

class MapTest : public ApiTest {
 protected:
  int* map(cl_mem buffer, cl_map_flags flags, size_t first, size_t count,
           cl_int expected = CL_SUCCESS) {
    cl_int err = 1;
    void* mapped = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, flags, first * sizeof(int),
                                      count * sizeof(int), 0, nullptr, nullptr, &err);
    EXPECT_CL(expected, err);
    EXPECT_EQ(expected == CL_SUCCESS, mapped != nullptr);
    return static_cast<int*>(mapped);
  }
  void unmap(cl_mem buffer, void* mapped) {
    EXPECT_OK(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr));
  }
  static cl_uint map_count(cl_mem buffer) {
    return info<cl_uint>(clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT);
  }
};

std::vector<int> counting(int count) {
  std::vector<int> data(count);
  std::iota(data.begin(), data.end(), 0);
  return data;
}

TEST_F(MapTest, ReadsWhatTheBufferHolds) {
  Buffer buffer = make_buffer(context_, counting(32));
  int* mapped = map(buffer, CL_MAP_READ, 4, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(4 + i, mapped[i]);
  EXPECT_EQ(1u, map_count(buffer));
  unmap(buffer, mapped);
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(0u, map_count(buffer));
}

TEST_F(MapTest, WritesBackOnUnmap) {
  for (cl_mem_flags flags :
       {cl_mem_flags{CL_MEM_READ_WRITE}, cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}}) {
    SCOPED_TRACE(flags);
    Buffer buffer = make_buffer(context_, 32 * sizeof(int), flags);
    int* mapped = map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, 32);
    for (int i = 0; i < 32; ++i) mapped[i] = i;
    unmap(buffer, mapped);
    EXPECT_EQ(counting(32), contents(queue_, buffer, 32));

    mapped = map(buffer, CL_MAP_READ | CL_MAP_WRITE, 16, 8);
    for (int i = 0; i < 8; ++i) mapped[i] += 100;
    unmap(buffer, mapped);
    std::vector<int> expected = counting(32);
    for (int i = 16; i < 24; ++i) expected[i] += 100;
    EXPECT_EQ(expected, contents(queue_, buffer, 32));
  }
}

TEST_F(MapTest, MapForWritingShowsTheLatestContents) {
  Buffer buffer = make_buffer(context_, counting(8));
  int* mapped = map(buffer, CL_MAP_WRITE, 0, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(i, mapped[i]);
  mapped[3] = 33;
  unmap(buffer, mapped);
  std::vector<int> expected = counting(8);
  expected[3] = 33;
  EXPECT_EQ(expected, contents(queue_, buffer, 8));
}

TEST_F(MapTest, ReadMapsMayOverlap) {
  Buffer buffer = make_buffer(context_, counting(32));
  int* all = map(buffer, CL_MAP_READ, 0, 32);
  int* part = map(buffer, CL_MAP_READ, 8, 8);
  int* again = map(buffer, CL_MAP_READ, 0, 32);
  EXPECT_EQ(3u, map_count(buffer));
  EXPECT_EQ(31, all[31]);
  EXPECT_EQ(8, part[0]);
  EXPECT_EQ(0, again[0]);
  // The device may read what is mapped for reading.
  EXPECT_EQ(counting(32), contents(queue_, buffer, 32));
  for (int* mapped : {part, all, again}) unmap(buffer, mapped);
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(0u, map_count(buffer));
}

TEST_F(MapTest, DisjointWriteMapsMayCoexist) {
  Buffer buffer = make_buffer(context_, counting(32));
  int* low = map(buffer, CL_MAP_WRITE, 0, 16);
  int* high = map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 16, 16);
  low[0] = -1;
  std::iota(high, high + 16, 116);
  unmap(buffer, low);
  unmap(buffer, high);
  std::vector<int> expected = counting(32);
  expected[0] = -1;
  std::iota(expected.begin() + 16, expected.end(), 116);
  EXPECT_EQ(expected, contents(queue_, buffer, 32));
}

TEST_F(MapTest, OverlappingWriteMapsAreRefused) {
  Buffer buffer = make_buffer(context_, counting(32));
  int* low = map(buffer, CL_MAP_WRITE, 0, 16);
  EXPECT_EQ(nullptr, map(buffer, CL_MAP_WRITE, 8, 16, CL_INVALID_OPERATION));
  EXPECT_EQ(nullptr, map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 15, 1, CL_INVALID_OPERATION));
  EXPECT_EQ(nullptr, map(buffer, CL_MAP_READ | CL_MAP_WRITE, 0, 32, CL_INVALID_OPERATION));
  EXPECT_EQ(1u, map_count(buffer));
  unmap(buffer, low);
  EXPECT_OK(clFinish(queue_));
  unmap(buffer, map(buffer, CL_MAP_WRITE, 8, 16));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(MapTest, NonBlockingMapIsReadyWithItsEvent) {
  Buffer buffer = make_buffer(context_, counting(1024));
  Event gate = user_event(context_), mapped_event, unmapped;
  cl_int err = 0;
  int value = 9;
  ASSERT_OK(
      clEnqueueFillBuffer(queue_, buffer, &value, sizeof value, 0, 64, 1, gate.list(), nullptr));
  auto* mapped = static_cast<int*>(clEnqueueMapBuffer(queue_, buffer, CL_FALSE, CL_MAP_READ, 0,
                                                      1024 * sizeof(int), 0, nullptr,
                                                      mapped_event.out(), &err));
  ASSERT_OK(err);
  ASSERT_NE(nullptr, mapped);
  EXPECT_GT(event_status(mapped_event), CL_COMPLETE);
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, mapped_event.list()));
  EXPECT_EQ(9, mapped[0]);
  EXPECT_EQ(9, mapped[15]);
  EXPECT_EQ(16, mapped[16]);
  ASSERT_OK(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, unmapped.out()));
  EXPECT_OK(clWaitForEvents(1, unmapped.list()));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_MAP_BUFFER),
            info<cl_command_type>(clGetEventInfo, mapped_event, CL_EVENT_COMMAND_TYPE));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_UNMAP_MEM_OBJECT),
            info<cl_command_type>(clGetEventInfo, unmapped, CL_EVENT_COMMAND_TYPE));
}

TEST_F(MapTest, UseHostPtrMapsToTheHostPointer) {
  std::vector<int> host = counting(32);
  Buffer buffer =
      make_buffer(context_, host.size() * sizeof(int), CL_MEM_USE_HOST_PTR, host.data());
  int* mapped = map(buffer, CL_MAP_READ | CL_MAP_WRITE, 8, 8);
  EXPECT_EQ(host.data() + 8, mapped);
  mapped[0] = 800;
  unmap(buffer, mapped);
  EXPECT_EQ(800, contents(queue_, buffer, 32)[8]);
}

TEST_F(MapTest, SubBufferMapsItsPartOfTheParent) {
  size_t step = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  size_t ints = step / sizeof(int);
  Buffer parent = make_buffer(context_, counting(static_cast<int>(4 * ints)));
  cl_buffer_region region{step, step};
  cl_int err = 0;
  Buffer sub(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
  ASSERT_OK(err);
  int* mapped = map(sub, CL_MAP_READ | CL_MAP_WRITE, 1, 2);
  EXPECT_EQ(static_cast<int>(ints) + 1, mapped[0]);
  mapped[1] = -5;
  unmap(sub, mapped);
  EXPECT_EQ(-5, contents(queue_, parent, 4 * ints)[ints + 2]);
}

TEST_F(MapTest, BadMapsAreRefused) {
  Buffer buffer = make_buffer(context_, 64);
  auto call = [&](cl_mem mem, cl_map_flags flags, size_t offset, size_t size, cl_int* err) {
    return clEnqueueMapBuffer(queue_, mem, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, err);
  };
  constexpr cl_map_flags kRead = CL_MAP_READ;
  expect_all({
      BAD_CREATE(CL_INVALID_COMMAND_QUEUE, clEnqueueMapBuffer(nullptr, buffer, CL_TRUE, kRead, 0, 4,
                                                              0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_MEM_OBJECT, call(nullptr, kRead, 0, 4, err)),
      BAD_CREATE(CL_INVALID_VALUE, call(buffer, kRead, 0, 0, err)),
      BAD_CREATE(CL_INVALID_VALUE, call(buffer, kRead, 0, 65, err)),
      BAD_CREATE(CL_INVALID_VALUE, call(buffer, kRead, 64, 1, err)),
      BAD_CREATE(CL_INVALID_VALUE, call(buffer, kRead, 8, SIZE_MAX - 4, err)),
      BAD_CREATE(CL_INVALID_VALUE, call(buffer, 1 << 10, 0, 4, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 call(buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 call(buffer, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, err)),
  });
  EXPECT_EQ(0u, map_count(buffer));
}

TEST_F(MapTest, BadUnmapsAreRefused) {
  Buffer buffer = make_buffer(context_, 64), other = make_buffer(context_, 64);
  int* mapped = map(buffer, CL_MAP_READ, 0, 4);
  int unrelated = 0;
  auto call = [&](cl_mem mem, void* pointer) {
    return clEnqueueUnmapMemObject(queue_, mem, pointer, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE,
          clEnqueueUnmapMemObject(nullptr, buffer, mapped, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, call(nullptr, mapped)),
      BAD(CL_INVALID_VALUE, call(buffer, nullptr)),
      BAD(CL_INVALID_VALUE, call(buffer, &unrelated)),
      BAD(CL_INVALID_VALUE, call(other, mapped)),
  });
  unmap(buffer, mapped);
  EXPECT_OK(clFinish(queue_));
  // Once unmapped, the pointer is no mapping any more.
  EXPECT_CL(CL_INVALID_VALUE, call(buffer, mapped));
}

}  // namespace
}  // namespace conclave::test
