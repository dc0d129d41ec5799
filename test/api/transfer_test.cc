// SPDX-License-Identifier: Apache-2.0
// Commands that move linear ranges of buffers: read, write, copy, fill, migrate.
#include <cstring>
#include <numeric>

#include "api_test.h"

namespace conclave::test {
namespace {

using TransferTest = ApiTest;

std::vector<int> counting(int count) {
  std::vector<int> data(count);
  std::iota(data.begin(), data.end(), 0);
  return data;
}

std::vector<unsigned char> bytes_of(cl_command_queue queue, cl_mem buffer, size_t size) {
  std::vector<unsigned char> data(size);
  EXPECT_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, data.data(), 0, nullptr, nullptr));
  return data;
}

TEST_F(TransferTest, ReadsAndWritesAtOffsets) {
  Buffer buffer = make_buffer(context_, std::vector<int>(16, -1));
  std::vector<int> data = counting(4);
  ASSERT_OK(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 5 * sizeof(int), 4 * sizeof(int),
                                 data.data(), 0, nullptr, nullptr));
  std::vector<int> back(6, 77);
  ASSERT_OK(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 4 * sizeof(int), 6 * sizeof(int),
                                back.data(), 0, nullptr, nullptr));
  EXPECT_EQ((std::vector<int>{-1, 0, 1, 2, 3, -1}), back);
}

TEST_F(TransferTest, NonBlockingTransfersFinishWithTheirEvent) {
  const int kCount = 1 << 16;
  Buffer buffer = make_buffer(context_, kCount * sizeof(int));
  std::vector<int> data = counting(kCount), back(kCount, -1);
  Event written, read;
  ASSERT_OK(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 0, kCount * sizeof(int), data.data(), 0,
                                 nullptr, written.out()));
  ASSERT_OK(clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, kCount * sizeof(int), back.data(), 1,
                                written.list(), read.out()));
  ASSERT_OK(clWaitForEvents(1, read.list()));
  EXPECT_EQ(data, back);
  EXPECT_EQ(CL_COMPLETE, event_status(written)) << "it was waited for";
}

TEST_F(TransferTest, CopiesBetweenAndWithinBuffers) {
  Buffer from = make_buffer(context_, counting(16));
  Buffer to = make_buffer(context_, std::vector<int>(16, -1));
  ASSERT_OK(clEnqueueCopyBuffer(queue_, from, to, 4 * sizeof(int), 8 * sizeof(int), 4 * sizeof(int),
                                0, nullptr, nullptr));
  std::vector<int> expected(16, -1);
  for (int i = 0; i < 4; ++i) expected[8 + i] = 4 + i;
  EXPECT_EQ(expected, contents(queue_, to, 16));
  // Neighbouring ranges of one buffer do not overlap.
  ASSERT_OK(clEnqueueCopyBuffer(queue_, from, from, 0, 8 * sizeof(int), 8 * sizeof(int), 0, nullptr,
                                nullptr));
  expected = counting(16);
  for (int i = 0; i < 8; ++i) expected[8 + i] = i;
  EXPECT_EQ(expected, contents(queue_, from, 16));
}

TEST_F(TransferTest, FillsWithEveryPatternSize) {
  unsigned char pattern[128];
  std::iota(pattern, pattern + 128, static_cast<unsigned char>(1));
  for (size_t size = 1; size <= 128; size *= 2) {
    SCOPED_TRACE(size);
    Buffer buffer = make_buffer(context_, std::vector<int>(128, -1));
    unsigned char copy[128];
    std::memcpy(copy, pattern, sizeof copy);
    Event gate = user_event(context_);
    // The pattern's memory may be reused as soon as the call returns.
    ASSERT_OK(clEnqueueFillBuffer(queue_, buffer, copy, size, 128, 256, 1, gate.list(), nullptr));
    std::memset(copy, 0, sizeof copy);
    ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    std::vector<unsigned char> all = bytes_of(queue_, buffer, 512);
    for (size_t i = 0; i < all.size(); ++i) {
      bool inside = i >= 128 && i < 384;
      ASSERT_EQ(inside ? pattern[(i - 128) % size] : 0xff, all[i]) << "byte " << i;
    }
  }
}

TEST_F(TransferTest, MigratesInEveryDirection) {
  Buffer first = make_buffer(context_, counting(8));
  Buffer second = make_buffer(context_, counting(4));
  cl_mem both[] = {first, second};
  Event done;
  ASSERT_OK(
      clEnqueueMigrateMemObjects(queue_, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueMigrateMemObjects(queue_, 2, both, 0, 0, nullptr, done.out()));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_MIGRATE_MEM_OBJECTS),
            info<cl_command_type>(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE));
  EXPECT_EQ(counting(8), contents(queue_, first, 8));
  EXPECT_OK(clEnqueueMigrateMemObjects(
      queue_, 1, both, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
      nullptr, nullptr));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(TransferTest, HostAccessFlagsAreEnforced) {
  int value = 0;
  cl_int err = 0;
  const struct {
    cl_mem_flags flags;
    cl_int read, write;
  } kRows[] = {
      {CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
      {CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
      {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION},
  };
  const size_t kOrigin[] = {0, 0, 0}, kRegion[] = {4, 1, 1};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.flags);
    Buffer buffer = make_buffer(context_, 4, row.flags);
    EXPECT_CL(row.read,
              clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
    EXPECT_CL(row.write,
              clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
    EXPECT_CL(row.read, clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, kOrigin, kOrigin, kRegion,
                                                0, 0, 0, 0, &value, 0, nullptr, nullptr));
    EXPECT_CL(row.write,
              clEnqueueWriteBufferRect(queue_, buffer, CL_TRUE, kOrigin, kOrigin, kRegion, 0, 0, 0,
                                       0, &value, 0, nullptr, nullptr));
    const std::pair<cl_map_flags, cl_int> kMaps[] = {{CL_MAP_READ, row.read},
                                                     {CL_MAP_WRITE, row.write},
                                                     {CL_MAP_WRITE_INVALIDATE_REGION, row.write}};
    for (const auto& [flags, expected] : kMaps) {
      void* mapped =
          clEnqueueMapBuffer(queue_, buffer, CL_TRUE, flags, 0, 4, 0, nullptr, nullptr, &err);
      EXPECT_CL(expected, err) << "map flags " << flags;
      if (mapped) {
        EXPECT_OK(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr));
      }
    }
  }
  EXPECT_OK(clFinish(queue_));
}

TEST_F(TransferTest, BadReadsAndWritesAreRefused) {
  Buffer buffer = make_buffer(context_, 64);
  char data[128];
  cl_command_queue q = queue_;
  auto read = [&](size_t offset, size_t size, void* to) {
    return clEnqueueReadBuffer(q, buffer, CL_TRUE, offset, size, to, 0, nullptr, nullptr);
  };
  auto write = [&](size_t offset, size_t size, const void* from) {
    return clEnqueueWriteBuffer(q, buffer, CL_TRUE, offset, size, from, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_VALUE, read(0, 65, data)),
      BAD(CL_INVALID_VALUE, read(64, 1, data)),
      BAD(CL_INVALID_VALUE, read(65, 0, data)),
      BAD(CL_INVALID_VALUE, read(32, SIZE_MAX - 16, data)),
      BAD(CL_INVALID_VALUE, read(SIZE_MAX, 2, data)),
      BAD(CL_INVALID_VALUE, read(0, 64, nullptr)),
      BAD(CL_INVALID_VALUE, write(0, 65, data)),
      BAD(CL_INVALID_VALUE, write(64, 1, data)),
      BAD(CL_INVALID_VALUE, write(32, SIZE_MAX - 16, data)),
      BAD(CL_INVALID_VALUE, write(0, 64, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBuffer(q, nullptr, CL_TRUE, 0, 4, data, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueWriteBuffer(q, nullptr, CL_TRUE, 0, 4, data, 0, nullptr, nullptr)),
  });
}

TEST_F(TransferTest, BadCopiesAreRefused) {
  Buffer a = make_buffer(context_, 64), b = make_buffer(context_, 64);
  auto copy = [&](cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size) {
    return clEnqueueCopyBuffer(queue_, from, to, from_at, to_at, size, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT, copy(nullptr, b, 0, 0, 4)),
      BAD(CL_INVALID_MEM_OBJECT, copy(a, nullptr, 0, 0, 4)),
      BAD(CL_INVALID_VALUE, copy(a, b, 61, 0, 4)),
      BAD(CL_INVALID_VALUE, copy(a, b, 0, 61, 4)),
      BAD(CL_INVALID_VALUE, copy(a, b, 0, 0, 65)),
      BAD(CL_INVALID_VALUE, copy(a, b, 8, 8, SIZE_MAX - 4)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, 0, 0, 4)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, 0, 8, 16)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, 8, 0, 16)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, 3, 4, 2)),
  });
}

TEST_F(TransferTest, SubBuffersThatOverlapCannotBeCopied) {
  size_t step = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Buffer parent = make_buffer(context_, 4 * step);
  Buffer low = sub_buffer(parent, 0, 2 * step), high = sub_buffer(parent, step, 2 * step);
  auto copy = [&](size_t from_at, size_t to_at, size_t size) {
    return clEnqueueCopyBuffer(queue_, low, high, from_at, to_at, size, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_MEM_COPY_OVERLAP, copy(0, 0, step + 1)),
      BAD(CL_MEM_COPY_OVERLAP, copy(step, 0, step)),
      BAD(CL_MEM_COPY_OVERLAP, copy(step, 1, step - 1)),
  });
  EXPECT_OK(copy(0, 0, step));     // [0, step) -> [step, 2 step)
  EXPECT_OK(copy(0, step, step));  // [0, step) -> [2 step, 3 step)
  EXPECT_OK(clFinish(queue_));
}

TEST_F(TransferTest, BadFillsAreRefused) {
  Buffer buffer = make_buffer(context_, 256);
  long pattern[32] = {};
  auto fill = [&](const void* pattern, size_t size, size_t offset, size_t bytes) {
    return clEnqueueFillBuffer(queue_, buffer, pattern, size, offset, bytes, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueFillBuffer(queue_, nullptr, pattern, 4, 0, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, fill(nullptr, 4, 0, 64)),
      BAD(CL_INVALID_VALUE, fill(pattern, 0, 0, 64)),
      BAD(CL_INVALID_VALUE, fill(pattern, 3, 0, 63)),
      BAD(CL_INVALID_VALUE, fill(pattern, 12, 0, 48)),
      BAD(CL_INVALID_VALUE, fill(pattern, 256, 0, 256)),
      BAD(CL_INVALID_VALUE, fill(pattern, 4, 2, 64)),
      BAD(CL_INVALID_VALUE, fill(pattern, 4, 0, 62)),
      BAD(CL_INVALID_VALUE, fill(pattern, 4, 0, 260)),
      BAD(CL_INVALID_VALUE, fill(pattern, 4, 256, 4)),
      BAD(CL_INVALID_VALUE, fill(pattern, 4, 64, SIZE_MAX - 63)),
  });
}

TEST_F(TransferTest, BadMigrationsAreRefused) {
  Buffer buffer = make_buffer(context_, 64);
  cl_mem list[] = {buffer, nullptr};
  auto migrate = [&](cl_uint count, const cl_mem* mems, cl_mem_migration_flags flags) {
    return clEnqueueMigrateMemObjects(queue_, count, mems, flags, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_VALUE, migrate(0, list, 0)),
      BAD(CL_INVALID_VALUE, migrate(0, nullptr, 0)),
      BAD(CL_INVALID_VALUE, migrate(1, nullptr, 0)),
      BAD(CL_INVALID_VALUE, migrate(1, list, 1 << 10)),
      BAD(CL_INVALID_MEM_OBJECT, migrate(2, list, 0)),
  });
}

}  // namespace
}  // namespace conclave::test
