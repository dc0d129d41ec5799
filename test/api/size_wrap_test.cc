// SPDX-License-Identifier: Apache-2.0
// Sizes whose sums and products do not fit into a size_t are refused; by chosen cases, and by
// random ones against a model that calculates with 128 bits.
#include <array>
#include <cstdint>
#include <random>

#include "api_test.h"

namespace conclave::test {
namespace {

using SizeWrapTest = ApiTest;
using Wide = unsigned __int128;
using Three = std::array<size_t, 3>;

constexpr size_t kBytes = 4096;
constexpr Wide kMostItems = Wide{1} << 62;

cl_int read_rect(cl_command_queue queue, cl_mem buffer, const Three& at, const Three& host_at,
                 const Three& region, const std::array<size_t, 4>& pitches, void* host) {
  return clEnqueueReadBufferRect(queue, buffer, CL_TRUE, at.data(), host_at.data(), region.data(),
                                 pitches[0], pitches[1], pitches[2], pitches[3], host, 0, nullptr,
                                 nullptr);
}

cl_int write_rect(cl_command_queue queue, cl_mem buffer, const Three& at, const Three& host_at,
                  const Three& region, const std::array<size_t, 4>& pitches, const void* host) {
  return clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, at.data(), host_at.data(), region.data(),
                                  pitches[0], pitches[1], pitches[2], pitches[3], host, 0, nullptr,
                                  nullptr);
}

cl_int copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const Three& from_at,
                 const Three& to_at, const Three& region, const std::array<size_t, 4>& pitches) {
  const cl_int code =
      clEnqueueCopyBufferRect(queue, from, to, from_at.data(), to_at.data(), region.data(),
                              pitches[0], pitches[1], pitches[2], pitches[3], 0, nullptr, nullptr);
  return code == CL_SUCCESS ? clFinish(queue) : code;
}

TEST_F(SizeWrapTest, RectanglesThatWrapAreRefused) {
  Buffer buffer = make_buffer(context_, kBytes), other = make_buffer(context_, kBytes);
  std::vector<char> host(kBytes);
  const Three zero{}, thin{1, 1, 3}, one{1, 1, 1}, high{0, 0, size_t{1} << 32};
  const size_t half = size_t{1} << 63, word = size_t{1} << 32;
  expect_all({
      BAD(CL_INVALID_VALUE,
          read_rect(queue_, buffer, zero, zero, thin, {1, half, 0, 0}, host.data())),
      BAD(CL_INVALID_VALUE,
          read_rect(queue_, buffer, zero, zero, thin, {0, 0, 1, half}, host.data())),
      BAD(CL_INVALID_VALUE,
          write_rect(queue_, buffer, zero, zero, thin, {1, half, 0, 0}, host.data())),
      BAD(CL_INVALID_VALUE,
          write_rect(queue_, buffer, zero, zero, thin, {0, 0, 1, half}, host.data())),
      BAD(CL_INVALID_VALUE, copy_rect(queue_, buffer, other, zero, zero, thin, {1, half, 0, 0})),
      BAD(CL_INVALID_VALUE, copy_rect(queue_, buffer, other, zero, zero, thin, {0, 0, 1, half})),
      BAD(CL_INVALID_VALUE,
          read_rect(queue_, buffer, high, zero, one, {1, word, 0, 0}, host.data())),
      BAD(CL_INVALID_VALUE,
          write_rect(queue_, buffer, zero, high, one, {0, 0, 1, word}, host.data())),
      BAD(CL_INVALID_VALUE, copy_rect(queue_, buffer, other, zero, high, one, {0, 0, 1, word})),
      // A region whose slice wraps to nothing.
      BAD(CL_INVALID_VALUE,
          read_rect(queue_, buffer, zero, zero, {word, word, 1}, {0, 0, 0, 0}, host.data())),
  });
}

TEST_F(SizeWrapTest, LocalArgumentsThatWrapAreRefused) {
  Program program = build(context_,
                          "kernel void two(global int* out, local int* a, local int* b) {"
                          "  a[0] = b[0] = 1; out[0] = a[0] + b[0]; }");
  Kernel kernel = make_kernel(program, "two");
  Buffer out = make_buffer(context_, kBytes);
  const size_t half = size_t{1} << 63, one = 1;
  ASSERT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
  for (size_t rest : {half, half + 1, half - 64, SIZE_MAX - half}) {
    cl_int code = clSetKernelArg(kernel, 1, half, nullptr);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 2, rest, nullptr);
    if (code == CL_SUCCESS)
      code = clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    EXPECT_TRUE(code == CL_INVALID_ARG_SIZE || code == CL_OUT_OF_RESOURCES) << error_name(code);
  }
}

TEST_F(SizeWrapTest, IndexSpacesThatWrapAreRefused) {
  Kernel nothing = kernel("nothing");
  const auto launch = [&](cl_uint dimensions, Three offset, Three global, const size_t* local) {
    return clEnqueueNDRangeKernel(queue_, nothing, dimensions, offset.data(), global.data(), local,
                                  0, nullptr, nullptr);
  };
  const Three ones{1, 1, 1}, wide{16, 1, 1};
  const size_t many = size_t{1} << 40;
  expect_all({
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(2, {}, {many, many, 1}, ones.data())),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(2, {}, {many, many, 1}, nullptr)),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(2, {}, {SIZE_MAX, SIZE_MAX, 1}, ones.data())),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(2, {}, {SIZE_MAX, SIZE_MAX, 1}, nullptr)),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(3, {}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, ones.data())),
      // Whole work-groups of these are more than can be counted.
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, launch(1, {}, {SIZE_MAX, 1, 1}, wide.data())),
      BAD(CL_INVALID_GLOBAL_OFFSET, launch(1, {SIZE_MAX, 0, 0}, {2, 1, 1}, ones.data())),
  });
  EXPECT_OK(launch(1, {SIZE_MAX - 2, 0, 0}, {2, 1, 1}, ones.data()));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(SizeWrapTest, RangesThatWrapAreRefused) {
  Buffer buffer = make_buffer(context_, kBytes), other = make_buffer(context_, kBytes);
  std::vector<char> host(kBytes);
  const char zero = 0;
  const auto sub_buffer = [&](size_t origin, size_t size, cl_int* err) {
    const cl_buffer_region region{origin, size};
    return clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, err);
  };
  for (size_t offset : {size_t{128}, SIZE_MAX - 127}) {
    const size_t size = SIZE_MAX - 127;  // offset + size is 0, or small
    expect_all({
        BAD(CL_INVALID_VALUE, clEnqueueReadBuffer(queue_, buffer, CL_TRUE, offset, size,
                                                  host.data(), 0, nullptr, nullptr)),
        BAD(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, offset, size,
                                                   host.data(), 0, nullptr, nullptr)),
        BAD(CL_INVALID_VALUE,
            clEnqueueCopyBuffer(queue_, buffer, other, offset, 0, size, 0, nullptr, nullptr)),
        BAD(CL_INVALID_VALUE,
            clEnqueueCopyBuffer(queue_, buffer, other, 0, offset, size, 0, nullptr, nullptr)),
        BAD(CL_INVALID_VALUE,
            clEnqueueFillBuffer(queue_, buffer, &zero, 1, offset, size, 0, nullptr, nullptr)),
        BAD_CREATE(CL_INVALID_VALUE, clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ,
                                                        offset, size, 0, nullptr, nullptr, err)),
        BAD_CREATE(CL_INVALID_VALUE, sub_buffer(offset, size, err)),
    });
  }
}

TEST_F(SizeWrapTest, ImagesThatWrapAreRefused) {
  std::vector<char> host(kBytes);
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  const auto image = [&](cl_image_desc desc, void* memory, cl_int* err) {
    return clCreateImage(context_, memory ? CL_MEM_USE_HOST_PTR : 0, &format, &desc, memory, err);
  };
  cl_image_desc rows{}, slices{}, inside{};
  rows.image_type = inside.image_type = CL_MEM_OBJECT_IMAGE2D;
  slices.image_type = CL_MEM_OBJECT_IMAGE3D;
  rows.image_width = rows.image_height = 4;
  inside.image_width = inside.image_height = 4;
  slices.image_width = slices.image_height = slices.image_depth = 4;
  rows.image_row_pitch = inside.image_row_pitch = size_t{1} << 62;
  slices.image_row_pitch = 64;
  slices.image_slice_pitch = size_t{1} << 62;
  Buffer buffer = make_buffer(context_, kBytes);
  inside.mem_object = buffer;
  expect_all({
      BAD_CREATE(CL_INVALID_IMAGE_DESCRIPTOR, image(rows, host.data(), err)),
      BAD_CREATE(CL_INVALID_IMAGE_DESCRIPTOR, image(slices, host.data(), err)),
      BAD_CREATE(CL_INVALID_IMAGE_DESCRIPTOR, image(inside, nullptr, err)),
  });
  slices.image_slice_pitch = slices.image_row_pitch = 0;
  cl_int code;
  Buffer good(image(slices, nullptr, &code));
  ASSERT_OK(code);
  const Three zero{}, all{4, 4, 4}, beyond{SIZE_MAX, 0, 0}, one{1, 1, 1};
  const auto read = [&](const Three& at, const Three& region, size_t row, size_t slice) {
    return clEnqueueReadImage(queue_, good, CL_TRUE, at.data(), region.data(), row, slice,
                              host.data(), 0, nullptr, nullptr);
  };
  const size_t quarter = size_t{1} << 62;
  expect_all({
      BAD(CL_INVALID_VALUE, read(zero, all, quarter, 0)),
      BAD(CL_INVALID_VALUE, read(zero, all, 64, 2 * quarter)),
      BAD(CL_INVALID_VALUE, read(zero, all, 64, SIZE_MAX)),
      BAD(CL_INVALID_VALUE, read(beyond, one, 0, 0)),
      BAD(CL_INVALID_VALUE,
          clEnqueueCopyImageToBuffer(queue_, good, buffer, zero.data(), all.data(), SIZE_MAX - 1023,
                                     0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          clEnqueueCopyBufferToImage(queue_, buffer, good, SIZE_MAX - 1023, zero.data(), all.data(),
                                     0, nullptr, nullptr)),
  });
}

// --- Random sizes ---

// Mostly near a power of two, half of them small.
class RandomSizes {
 public:
  size_t operator()() {
    const size_t power = size_t{1} << (generator_() % 2 ? generator_() % 7 : generator_() % 64);
    return power + generator_() % 3 - 1;
  }
  size_t or_zero() { return generator_() % 2 ? 0 : (*this)(); }

 private:
  std::mt19937_64 generator_{18};
};

// Whether a side of a rectangle lies in kBytes.
bool fits(const Three& at, const Three& region, size_t row, size_t slice) {
  if (!region[0] || !region[1] || !region[2]) return false;
  const Wide row_pitch = row ? row : region[0];
  const Wide slice_pitch = slice ? Wide{slice} : region[1] * row_pitch;
  if (row_pitch < region[0] || slice_pitch < region[1] * row_pitch || slice_pitch % row_pitch)
    return false;
  // Each of these alone is below 2^128, and too large where it is beyond kBytes.
  const Wide parts[] = {at[2] * slice_pitch,           at[1] * row_pitch,           at[0],
                        (region[2] - 1) * slice_pitch, (region[1] - 1) * row_pitch, region[0]};
  Wide end = 0;
  for (Wide part : parts) {
    if (part > kBytes) return false;
    end += part;
  }
  return end <= kBytes;
}

TEST_F(SizeWrapTest, RandomRectanglesAreTakenAsTheModelSays) {
  Buffer from = make_buffer(context_, kBytes), to = make_buffer(context_, kBytes);
  RandomSizes size;
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Three read_at{size.or_zero(), size.or_zero(), size.or_zero()};
    const Three write_at{size.or_zero(), size.or_zero(), size.or_zero()};
    const Three region{size(), size(), size()};
    const std::array<size_t, 4> pitches{size.or_zero(), size.or_zero(), size.or_zero(),
                                        size.or_zero()};
    const bool good = fits(read_at, region, pitches[0], pitches[1]) &&
                      fits(write_at, region, pitches[2], pitches[3]);
    taken += good;
    ASSERT_CL(good ? CL_SUCCESS : CL_INVALID_VALUE,
              copy_rect(queue_, from, to, read_at, write_at, region, pitches))
        << "case " << i;
  }
  EXPECT_GT(taken, 100);
}

TEST_F(SizeWrapTest, RandomIndexSpacesAreTakenAsTheModelSays) {
  Kernel nothing = kernel("nothing");
  RandomSizes size;
  int taken = 0, refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Three global{size(), size(), size()}, offset{size.or_zero(), size.or_zero(), 0};
    const Three local{size() % 8 + 1, size() % 8 + 1, size() % 8 + 1};
    bool empty = false, wraps = false;
    Wide items = 1;
    for (int d = 0; d < 3; ++d) {
      empty |= global[d] == 0;
      wraps |= Wide{global[d]} + offset[d] > SIZE_MAX;
      const Wide whole = (Wide{global[d]} + local[d] - 1) / local[d] * local[d];
      items = whole > kMostItems ? kMostItems + 1 : std::min(items * whole, kMostItems + 1);
    }
    const bool too_many = !empty && items > kMostItems;
    if (!wraps && !too_many && !empty && items > 1000) continue;  // would run for too long
    const cl_int expected = wraps      ? CL_INVALID_GLOBAL_OFFSET
                            : too_many ? CL_INVALID_GLOBAL_WORK_SIZE
                                       : CL_SUCCESS;
    ++(expected == CL_SUCCESS ? taken : refused);
    ASSERT_CL(expected, clEnqueueNDRangeKernel(queue_, nothing, 3, offset.data(), global.data(),
                                               local.data(), 0, nullptr, nullptr))
        << "case " << i;
  }
  EXPECT_OK(clFinish(queue_));
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace conclave::test
