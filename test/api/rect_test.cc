// SPDX-License-Identifier: Apache-2.0
// Commands that move rectangular regions of buffers, against a plain reference.
#include <array>
#include <numeric>

#include "api_test.h"

namespace conclave::test {
namespace {

using RectTest = ApiTest;
using Bytes = std::vector<unsigned char>;

// One side of a rectangular transfer. Pitch 0 means tightly packed, as in the API.
struct Side {
  std::array<size_t, 3> origin;
  size_t row_pitch, slice_pitch;

  size_t row(const size_t* region) const { return row_pitch ? row_pitch : region[0]; }
  size_t slice(const size_t* region) const {
    return slice_pitch ? slice_pitch : region[1] * row(region);
  }
  size_t at(const size_t* region, size_t x, size_t y, size_t z) const {
    return (origin[2] + z) * slice(region) + (origin[1] + y) * row(region) + origin[0] + x;
  }
};

void reference(const Bytes& from, const Side& source, Bytes& to, const Side& target,
               const size_t* region) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      for (size_t x = 0; x < region[0]; ++x)
        to.at(target.at(region, x, y, z)) = from.at(source.at(region, x, y, z));
}

struct Case {
  const char* name;
  Side buffer, host;
  size_t region[3];
};

const Case kCases[] = {
    {"all packed", {{0, 0, 0}, 0, 0}, {{0, 0, 0}, 0, 0}, {8, 4, 2}},
    {"one row", {{3, 0, 0}, 0, 0}, {{5, 0, 0}, 0, 0}, {17, 1, 1}},
    {"2-D in a wider buffer", {{4, 3, 0}, 32, 0}, {{0, 0, 0}, 0, 0}, {8, 5, 1}},
    {"2-D in a wider host array", {{0, 0, 0}, 0, 0}, {{2, 1, 0}, 16, 0}, {8, 5, 1}},
    {"3-D in both", {{1, 2, 1}, 16, 16 * 8}, {{3, 1, 2}, 20, 20 * 6}, {7, 3, 2}},
    {"slices only", {{0, 0, 1}, 0, 64}, {{0, 0, 0}, 0, 32}, {4, 4, 3}},
};
constexpr size_t kSize = 1024;

Bytes pattern(unsigned char start) {
  Bytes data(kSize);
  for (size_t i = 0; i < kSize; ++i) data[i] = static_cast<unsigned char>(start + i * 7);
  return data;
}

Bytes bytes_of(cl_command_queue queue, cl_mem buffer) {
  Bytes data(kSize);
  EXPECT_OK(
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kSize, data.data(), 0, nullptr, nullptr));
  return data;
}

TEST_F(RectTest, Reads) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Bytes device_side = pattern(1), host = pattern(100), expected = host;
    Buffer buffer = make_buffer(context_, kSize, CL_MEM_COPY_HOST_PTR, device_side.data());
    reference(device_side, c.buffer, expected, c.host, c.region);
    EXPECT_OK(clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, c.buffer.origin.data(),
                                      c.host.origin.data(), c.region, c.buffer.row_pitch,
                                      c.buffer.slice_pitch, c.host.row_pitch, c.host.slice_pitch,
                                      host.data(), 0, nullptr, nullptr));
    EXPECT_EQ(expected, host);
  }
}

TEST_F(RectTest, Writes) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Bytes expected = pattern(1), host = pattern(100);
    Buffer buffer = make_buffer(context_, kSize, CL_MEM_COPY_HOST_PTR, expected.data());
    reference(host, c.host, expected, c.buffer, c.region);
    Event done;
    EXPECT_OK(clEnqueueWriteBufferRect(queue_, buffer, CL_FALSE, c.buffer.origin.data(),
                                       c.host.origin.data(), c.region, c.buffer.row_pitch,
                                       c.buffer.slice_pitch, c.host.row_pitch, c.host.slice_pitch,
                                       host.data(), 0, nullptr, done.out()));
    EXPECT_OK(clWaitForEvents(1, done.list()));
    EXPECT_EQ(expected, bytes_of(queue_, buffer));
  }
}

TEST_F(RectTest, Copies) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Bytes from = pattern(1), expected = pattern(100);
    Buffer source = make_buffer(context_, kSize, CL_MEM_COPY_HOST_PTR, from.data());
    Buffer target = make_buffer(context_, kSize, CL_MEM_COPY_HOST_PTR, expected.data());
    reference(from, c.buffer, expected, c.host, c.region);
    EXPECT_OK(clEnqueueCopyBufferRect(queue_, source, target, c.buffer.origin.data(),
                                      c.host.origin.data(), c.region, c.buffer.row_pitch,
                                      c.buffer.slice_pitch, c.host.row_pitch, c.host.slice_pitch, 0,
                                      nullptr, nullptr));
    EXPECT_EQ(expected, bytes_of(queue_, target));
  }
}

// Two regions of one buffer that interleave row by row without sharing a byte are no overlap.
TEST_F(RectTest, CopiesInterleavedRegionsOfOneBuffer) {
  Bytes data = pattern(1), expected = data;
  Buffer buffer = make_buffer(context_, kSize, CL_MEM_COPY_HOST_PTR, data.data());
  const size_t kRegion[] = {8, 6, 1};
  Side left{{0, 0, 0}, 32, 0}, right{{16, 0, 0}, 32, 0};
  reference(data, left, expected, right, kRegion);
  EXPECT_OK(clEnqueueCopyBufferRect(queue_, buffer, buffer, left.origin.data(), right.origin.data(),
                                    kRegion, 32, 0, 32, 0, 0, nullptr, nullptr));
  EXPECT_EQ(expected, bytes_of(queue_, buffer));
}

TEST_F(RectTest, BadTransfersAreRefused) {
  Buffer buffer = make_buffer(context_, 256);
  unsigned char host[512] = {};
  const size_t kZero[] = {0, 0, 0}, kBox[] = {4, 4, 2}, kFlat[] = {0, 4, 2}, kLow[] = {4, 0, 2},
               kThin[] = {4, 4, 0}, kLarge[] = {257, 1, 1}, kTall[] = {4, 65, 1},
               kDeep[] = {0, 0, 15}, kHuge[] = {SIZE_MAX, 2, 2};
  auto read = [&](const size_t* at, const size_t* host_at, const size_t* region, size_t row,
                  size_t slice, size_t host_row, size_t host_slice, void* to) {
    return clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, at, host_at, region, row, slice,
                                   host_row, host_slice, to, 0, nullptr, nullptr);
  };
  auto write = [&](const size_t* at, const size_t* host_at, const size_t* region, size_t row,
                   size_t slice, size_t host_row, size_t host_slice, const void* from) {
    return clEnqueueWriteBufferRect(queue_, buffer, CL_TRUE, at, host_at, region, row, slice,
                                    host_row, host_slice, from, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBufferRect(queue_, nullptr, CL_TRUE, kZero, kZero, kBox, 0, 0, 0, 0, host, 0,
                                  nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueWriteBufferRect(queue_, nullptr, CL_TRUE, kZero, kZero, kBox, 0, 0, 0, 0, host,
                                   0, nullptr, nullptr)),
  });
  const std::function<cl_int(const size_t*, const size_t*, const size_t*, size_t, size_t, size_t,
                             size_t, void*)>
      kBoth[] = {read, write};
  for (const auto& call : kBoth) {
    SCOPED_TRACE(&call == kBoth ? "read" : "write");
    expect_all({
        BAD(CL_INVALID_VALUE, call(nullptr, kZero, kBox, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, nullptr, kBox, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, nullptr, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 0, 0, 0, 0, nullptr)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kFlat, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kLow, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kThin, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kLarge, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kTall, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kDeep, kZero, kBox, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kHuge, 0, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 3, 0, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 8, 16, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 8, 36, 0, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 0, 0, 3, 0, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 0, 0, 8, 16, host)),
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 0, 0, 8, 36, host)),
        // Fits when packed, but not with these pitches.
        BAD(CL_INVALID_VALUE, call(kZero, kZero, kBox, 64, 256, 0, 0, host)),
    });
  }
}

TEST_F(RectTest, BadCopiesAreRefused) {
  Buffer a = make_buffer(context_, 256), b = make_buffer(context_, 256);
  const size_t kZero[] = {0, 0, 0}, kBox[] = {4, 4, 2}, kFlat[] = {0, 4, 2}, kFar[] = {0, 0, 15},
               kNear[] = {2, 1, 0}, kAway[] = {0, 0, 2};
  auto copy = [&](cl_mem from, cl_mem to, const size_t* at, const size_t* to_at,
                  const size_t* region, size_t row, size_t slice, size_t to_row, size_t to_slice) {
    return clEnqueueCopyBufferRect(queue_, from, to, at, to_at, region, row, slice, to_row,
                                   to_slice, 0, nullptr, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT, copy(nullptr, b, kZero, kZero, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_MEM_OBJECT, copy(a, nullptr, kZero, kZero, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, nullptr, kZero, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, nullptr, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, nullptr, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kFlat, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kFar, kZero, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kFar, kBox, 0, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 3, 0, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 0, 0, 3, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 8, 20, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 8, 33, 0, 0)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 0, 0, 8, 20)),
      BAD(CL_INVALID_VALUE, copy(a, b, kZero, kZero, kBox, 0, 0, 8, 33)),
      // The pitches of one buffer have to agree.
      BAD(CL_INVALID_VALUE, copy(a, a, kZero, kAway, kBox, 8, 32, 4, 32)),
      BAD(CL_INVALID_VALUE, copy(a, a, kZero, kAway, kBox, 8, 32, 8, 64)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, kZero, kZero, kBox, 8, 64, 8, 64)),
      BAD(CL_MEM_COPY_OVERLAP, copy(a, a, kZero, kNear, kBox, 8, 64, 8, 64)),
  });
}

}  // namespace
}  // namespace conclave::test
