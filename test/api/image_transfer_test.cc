// SPDX-License-Identifier: Apache-2.0
// Commands that move, fill and map images, against a plain array of elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "image_shapes.h"

namespace conclave::test {
namespace {

constexpr Format kFormats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1},
                               {{CL_RGB, CL_UNORM_SHORT_565}, 2},
                               {{CL_RGBA, CL_UNORM_INT8}, 4},
                               {{CL_RGBA, CL_FLOAT}, 16}};

// An array of elements, packed, x fastest.
struct Grid {
  Position extent;
  size_t element;
  Bytes data;

  Grid(const Position& size, size_t bytes, unsigned char start = 0)
      : extent(size), element(bytes), data(size[0] * size[1] * size[2] * bytes) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(start + i * 7);
  }
  unsigned char* at(size_t x, size_t y, size_t z) {
    return &data.at(((z * extent[1] + y) * extent[0] + x) * element);
  }
};

// Calls `body` with every position of a region, relative to its origin.
template <typename Body>
void for_each(const Position& region, const Body& body) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      for (size_t x = 0; x < region[0]; ++x) body(x, y, z);
}

void copy(Grid& from, const Position& origin, Grid& to, const Position& target,
          const Position& region) {
  for_each(region, [&](size_t x, size_t y, size_t z) {
    std::memcpy(to.at(target[0] + x, target[1] + y, target[2] + z),
                from.at(origin[0] + x, origin[1] + y, origin[2] + z), from.element);
  });
}

// A part of the image that touches neither its beginning nor its end, if there is room.
Position inner_origin(const Shape& shape) {
  const Position all = shape.extent();
  return {2, all[1] > 1 ? 1u : 0u, all[2] > 1 ? 2u : 0u};
}
Position inner_region(const Shape& shape) {
  const Position all = shape.extent();
  return {all[0] - 5, all[1] > 1 ? all[1] - 3 : 1, all[2] > 1 ? all[2] - 3 : 1};
}

// What the host's side of a transfer looks like in memory.
struct HostSide {
  size_t row_pitch, slice_pitch;  // as given in the call
  size_t y_step, z_step;          // in bytes
};

HostSide packed(const Position& region, size_t element) {
  return {0, 0, region[0] * element, region[0] * region[1] * element};
}
// With gaps after rows and slices.
HostSide spread(const Shape& shape, const Position& region, size_t element) {
  const size_t row = region[0] * element + 5;
  if (shape.is_1d_array()) return {row, row + 11, row + 11, 0};
  const size_t slice = shape.has_slices() ? row * region[1] + 13 : 0;
  return {row, slice, row, slice};
}

class ImageTransferTest : public ApiTest {
 protected:
  void write(cl_mem image, const Position& origin, const Position& region, const void* host,
             size_t row_pitch = 0, size_t slice_pitch = 0) {
    EXPECT_OK(clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), region.data(), row_pitch,
                                  slice_pitch, host, 0, nullptr, nullptr));
  }
  Image with_contents(const Shape& shape, const Format& format, Grid& grid) {
    Image image = make_image(context_, shape, format);
    write(image, {0, 0, 0}, shape.extent(), grid.data.data());
    return image;
  }
  Bytes contents(cl_mem image, const Shape& shape, size_t element) {
    Bytes data(shape.elements() * element);
    const Position origin = {0, 0, 0}, region = shape.extent();
    EXPECT_OK(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                 data.data(), 0, nullptr, nullptr));
    return data;
  }
  // One element of an image after it was filled with a colour: four components, or a depth.
  Bytes filled(const Format& format, const void* color) {
    const Position origin = {0, 0, 0}, region = {1, 1, 1};
    Image image = make_image(context_, k2d, format);
    EXPECT_OK(clEnqueueFillImage(queue_, image, color, origin.data(), region.data(), 0, nullptr,
                                 nullptr));
    Bytes element(format.bytes);
    EXPECT_OK(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                 element.data(), 0, nullptr, nullptr));
    return element;
  }
  // Runs `body` with every shape and format.
  template <typename Body>
  void for_all(const Body& body) {
    for (const Shape& shape : kShapes)
      for (const Format& format : kFormats) {
        SCOPED_TRACE(testing::Message() << shape.name << ", " << format.bytes << " bytes");
        body(shape, format);
      }
  }
};

TEST_F(ImageTransferTest, ReadsAndWritesRegions) {
  for_all([&](const Shape& shape, const Format& format) {
    const size_t bytes = format.bytes;
    const Position origin = inner_origin(shape), region = inner_region(shape);
    for (bool gaps : {false, true}) {
      SCOPED_TRACE(gaps);
      Grid all(shape.extent(), bytes), part(region, bytes, 99);
      Image image = with_contents(shape, format, all);
      EXPECT_EQ(all.data, contents(image, shape, bytes));
      const HostSide side = gaps ? spread(shape, region, bytes) : packed(region, bytes);
      Bytes host(region[2] * side.z_step + region[1] * side.y_step + region[0] * bytes, 0xee);
      const auto at = [&](size_t x, size_t y, size_t z) {
        return &host.at(z * side.z_step + y * side.y_step + x * bytes);
      };
      for_each(region, [&](size_t x, size_t y, size_t z) {
        std::memcpy(at(x, y, z), part.at(x, y, z), bytes);
      });
      write(image, origin, region, host.data(), side.row_pitch, side.slice_pitch);
      copy(part, {0, 0, 0}, all, origin, region);
      EXPECT_EQ(all.data, contents(image, shape, bytes));

      Bytes expected = host;  // what lies between the rows stays as it is
      for_each(region, [&](size_t x, size_t y, size_t z) { std::memset(at(x, y, z), 1, bytes); });
      EXPECT_OK(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(),
                                   side.row_pitch, side.slice_pitch, host.data(), 0, nullptr,
                                   nullptr));
      EXPECT_EQ(expected, host);
    }
  });
}

// From images of every type to images of every other one.
TEST_F(ImageTransferTest, CopiesBetweenImages) {
  for (const Shape& from : kShapes)
    for (const Shape& to : kShapes)
      for (const Format& format : kFormats) {
        SCOPED_TRACE(testing::Message() << from.name << " to " << to.name << ", " << format.bytes);
        Grid source(from.extent(), format.bytes), target(to.extent(), format.bytes, 50);
        Image read = with_contents(from, format, source);
        Image written = with_contents(to, format, target);
        const Position a = inner_region(from), b = inner_region(to);
        const Position region = {std::min(a[0], b[0]), std::min(a[1], b[1]), std::min(a[2], b[2])};
        Position origin = inner_origin(from), at = inner_origin(to);
        at[0] += 1;
        copy(source, origin, target, at, region);
        EXPECT_OK(clEnqueueCopyImage(queue_, read, written, origin.data(), at.data(), region.data(),
                                     0, nullptr, nullptr));
        EXPECT_EQ(target.data, contents(written, to, format.bytes));
      }
}

TEST_F(ImageTransferTest, CopiesInsideAnImage) {
  Grid grid(k3d.extent(), 4);
  Image image = with_contents(k3d, kRgba8, grid);
  const Position from = {0, 1, 0}, to = {5, 1, 0}, region = {5, 6, 5};
  copy(grid, from, grid, to, region);
  EXPECT_OK(clEnqueueCopyImage(queue_, image, image, from.data(), to.data(), region.data(), 0,
                               nullptr, nullptr));
  EXPECT_EQ(grid.data, contents(image, k3d, 4));
  const Position overlapping[] = {{4, 1, 0}, {0, 0, 0}, {1, 1, 0}};
  for (const Position& at : overlapping)
    EXPECT_CL(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue_, image, image, from.data(), at.data(),
                                                      region.data(), 0, nullptr, nullptr));
}

TEST_F(ImageTransferTest, CopiesToAndFromBuffers) {
  for_all([&](const Shape& shape, const Format& format) {
    const Position origin = inner_origin(shape), region = inner_region(shape);
    Grid grid(shape.extent(), format.bytes), part(region, format.bytes, 77);
    Image image = with_contents(shape, format, grid);
    constexpr size_t kOffset = 48;
    Bytes bytes(kOffset + part.data.size() + 8, 0xcc);
    Buffer buffer = make_buffer(context_, bytes.size(), CL_MEM_COPY_HOST_PTR, bytes.data());
    EXPECT_OK(clEnqueueCopyImageToBuffer(queue_, image, buffer, origin.data(), region.data(),
                                         kOffset, 0, nullptr, nullptr));
    Grid taken(region, format.bytes);
    copy(grid, origin, taken, {0, 0, 0}, region);
    std::copy(taken.data.begin(), taken.data.end(), bytes.begin() + kOffset);
    Bytes back(bytes.size());
    EXPECT_OK(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, back.size(), back.data(), 0, nullptr,
                                  nullptr));
    EXPECT_EQ(bytes, back);

    EXPECT_OK(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 16, part.data.size(), part.data.data(),
                                   0, nullptr, nullptr));
    EXPECT_OK(clEnqueueCopyBufferToImage(queue_, buffer, image, 16, origin.data(), region.data(), 0,
                                         nullptr, nullptr));
    copy(part, {0, 0, 0}, grid, origin, region);
    EXPECT_EQ(grid.data, contents(image, shape, format.bytes));
  });
}

TEST_F(ImageTransferTest, FillsRegions) {
  for_all([&](const Shape& shape, const Format& format) {
    const Position origin = inner_origin(shape), region = inner_region(shape);
    Grid grid(shape.extent(), format.bytes);
    Image image = with_contents(shape, format, grid);
    const float kColor[] = {1, 0, 1, 0};
    const cl_uint kCounts[] = {200, 0, 0, 0};
    const bool counts = format.format.image_channel_data_type == CL_UNSIGNED_INT8;
    Bytes element;
    if (counts) element = {200};
    if (format.bytes == 2) element = {0x1f, 0xf8};
    if (format.bytes == 4) element = {255, 0, 255, 0};
    if (format.bytes == 16) {
      element.resize(16);
      std::memcpy(element.data(), kColor, 16);
    }
    for_each(region, [&](size_t x, size_t y, size_t z) {
      std::copy(element.begin(), element.end(),
                grid.at(origin[0] + x, origin[1] + y, origin[2] + z));
    });
    EXPECT_OK(clEnqueueFillImage(queue_, image, counts ? static_cast<const void*>(kCounts) : kColor,
                                 origin.data(), region.data(), 0, nullptr, nullptr));
    EXPECT_EQ(grid.data, contents(image, shape, format.bytes));
  });
}

TEST_F(ImageTransferTest, ConvertsColors) {
  const struct {
    const char* name;
    Format format;
    float color[4];
    Bytes element;
  } kCases[] = {
      {"saturate", {{CL_RGBA, CL_UNORM_INT8}, 4}, {-1, 2, INFINITY, 0.5f}, {0, 255, 255, 128}},
      {"round to even", {{CL_RG, CL_UNORM_INT8}, 2}, {0.5f / 255, 1.5f / 255, 0, 0}, {0, 2}},
      {"signed", {{CL_RGBA, CL_SNORM_INT8}, 4}, {-1, -2, 1, 0.5f}, {0x81, 0x81, 127, 64}},
      {"16 bits", {{CL_RA, CL_UNORM_INT16}, 4}, {1, 9, 9, 0.25f}, {255, 255, 0, 64}},
      {"signed 16 bits", {{CL_R, CL_SNORM_INT16}, 2}, {-1, 9, 9, 9}, {1, 0x80}},
      {"alpha", {{CL_A, CL_UNORM_INT8}, 1}, {0, 0, 0, 1}, {255}},
      {"BGRA", {{CL_BGRA, CL_UNORM_INT8}, 4}, {1, 0.2f, 0.4f, 0.6f}, {102, 51, 255, 153}},
      {"ARGB", {{CL_ARGB, CL_UNORM_INT8}, 4}, {1, 0.2f, 0.4f, 0.6f}, {153, 255, 51, 102}},
      {"intensity", {{CL_INTENSITY, CL_FLOAT}, 4}, {1, 2, 3, 4}, {0, 0, 0x80, 0x3f}},
      {"luminance", {{CL_LUMINANCE, CL_UNORM_INT8}, 1}, {0.2f, 1, 1, 1}, {51}},
      {"565", {{CL_RGB, CL_UNORM_SHORT_565}, 2}, {1, 0, 0, 0}, {0, 0xf8}},
      {"565 green", {{CL_RGB, CL_UNORM_SHORT_565}, 2}, {0, 1, 0, 0}, {0xe0, 0x07}},
      {"555", {{CL_RGB, CL_UNORM_SHORT_555}, 2}, {1, 0, 1, 0}, {0x1f, 0x7c}},
      {"101010", {{CL_RGB, CL_UNORM_INT_101010}, 4}, {1, 0, 1, 0}, {0xff, 0x03, 0xf0, 0x3f}},
      {"half", {{CL_RG, CL_HALF_FLOAT}, 4}, {1, -2, 0, 0}, {0, 0x3c, 0, 0xc0}},
      {"large half", {{CL_RG, CL_HALF_FLOAT}, 4}, {65504, 1e9f, 0, 0}, {0xff, 0x7b, 0, 0x7c}},
      {"small half", {{CL_R, CL_HALF_FLOAT}, 2}, {5.9604645e-8f, 0, 0, 0}, {1, 0}},
      {"sRGB", {{CL_sRGBA, CL_UNORM_INT8}, 4}, {0, 1, 0.5f, 0.5f}, {0, 255, 188, 128}},
      {"dark sRGB", {{CL_sRGBA, CL_UNORM_INT8}, 4}, {0.002f, 0.01f, 2, -1}, {7, 25, 255, 0}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.element, filled(c.format, c.color));
  }
  const struct {
    const char* name;
    Format format;
    cl_int color[4];
    Bytes element;
  } kIntegers[] = {
      {"signed 8", {{CL_RGBA, CL_SIGNED_INT8}, 4}, {-200, 200, -5, 5}, {0x80, 127, 0xfb, 5}},
      {"unsigned 8", {{CL_RGBA, CL_UNSIGNED_INT8}, 4}, {-1, 256, 255, 5}, {255, 255, 255, 5}},
      {"signed 16", {{CL_RG, CL_SIGNED_INT16}, 4}, {-40000, 40000, 0, 0}, {0, 0x80, 255, 127}},
      {"unsigned 16", {{CL_RG, CL_UNSIGNED_INT16}, 4}, {70000, 258, 0, 0}, {255, 255, 2, 1}},
      {"signed 32", {{CL_R, CL_SIGNED_INT32}, 4}, {-2, 0, 0, 0}, {254, 255, 255, 255}},
      {"unsigned 32", {{CL_A, CL_UNSIGNED_INT32}, 4}, {1, 2, 3, -2}, {254, 255, 255, 255}},
  };
  for (const auto& c : kIntegers) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.element, filled(c.format, c.color));
  }
  // A depth is one float: no more is read.
  const std::vector<float> depth = {0.5f};
  EXPECT_EQ((Bytes{0, 0x80}), filled({{CL_DEPTH, CL_UNORM_INT16}, 2}, depth.data()));
}

TEST_F(ImageTransferTest, Maps) {
  for_all([&](const Shape& shape, const Format& format) {
    const Position origin = inner_origin(shape), region = inner_region(shape);
    Grid grid(shape.extent(), format.bytes);
    Image image = with_contents(shape, format, grid);
    size_t row = 99, slice = 99;
    cl_int code = 1;
    Event event;
    auto* mapped = static_cast<unsigned char*>(
        clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin.data(),
                          region.data(), &row, &slice, 0, nullptr, event.out(), &code));
    ASSERT_OK(code);
    ASSERT_NE(nullptr, mapped);
    EXPECT_EQ(shape.width * format.bytes, row);
    EXPECT_EQ(shape.has_slices(), slice != 0);
    EXPECT_EQ(1u, info<cl_uint>(clGetMemObjectInfo, image, CL_MEM_MAP_COUNT));
    EXPECT_EQ(cl_command_type{CL_COMMAND_MAP_IMAGE},
              info<cl_command_type>(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
    for_each(region, [&](size_t x, size_t y, size_t z) {
      unsigned char* here =
          mapped + x * format.bytes + y * (shape.is_1d_array() ? slice : row) + z * slice;
      unsigned char* there = grid.at(origin[0] + x, origin[1] + y, origin[2] + z);
      EXPECT_EQ(0, std::memcmp(here, there, format.bytes));
      std::memset(here, static_cast<int>(x + y + z), format.bytes);
      std::memset(there, static_cast<int>(x + y + z), format.bytes);
    });
    EXPECT_OK(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr));
    EXPECT_EQ(grid.data, contents(image, shape, format.bytes));
    EXPECT_EQ(0u, info<cl_uint>(clGetMemObjectInfo, image, CL_MEM_MAP_COUNT));
  });
}

TEST_F(ImageTransferTest, MapsTheHostsMemory) {
  Bytes host(64 * 8);
  cl_image_desc desc = k2d.desc();
  desc.image_row_pitch = 64;
  cl_int code = 1;
  Image image(
      clCreateImage(context_, CL_MEM_USE_HOST_PTR, &kRgba8.format, &desc, host.data(), &code));
  ASSERT_OK(code);
  const Position origin = {3, 2, 0}, region = {4, 4, 1};
  size_t row = 0;
  void* mapped =
      clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, origin.data(),
                        region.data(), &row, nullptr, 0, nullptr, nullptr, &code);
  ASSERT_OK(code);
  EXPECT_EQ(host.data() + 2 * 64 + 3 * 4, mapped);
  EXPECT_EQ(64u, row);
  EXPECT_OK(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(ImageTransferTest, MappingsForWritingMustNotOverlap) {
  Image image = make_image(context_, k3d, kRgba8);
  size_t row, slice;
  const auto map = [&](const Position& origin, const Position& region, cl_map_flags flags,
                       cl_int* code) {
    return clEnqueueMapImage(queue_, image, CL_TRUE, flags, origin.data(), region.data(), &row,
                             &slice, 0, nullptr, nullptr, code);
  };
  cl_int code = 1;
  void* left = map({0, 0, 0}, {6, 7, 5}, CL_MAP_WRITE, &code);
  EXPECT_OK(code);
  void* right = map({6, 0, 0}, {7, 7, 5}, CL_MAP_WRITE, &code);  // its rows lie between the others
  EXPECT_OK(code);
  void* read = map({0, 0, 0}, {13, 7, 5}, CL_MAP_READ, &code);
  EXPECT_OK(code);
  expect_all({
      BAD_CREATE(CL_INVALID_OPERATION, map({5, 6, 4}, {1, 1, 1}, CL_MAP_WRITE, err)),
      BAD_CREATE(CL_INVALID_OPERATION,
                 map({12, 6, 4}, {1, 1, 1}, CL_MAP_WRITE_INVALIDATE_REGION, err)),
  });
  for (void* mapped : {left, right, read})
    EXPECT_OK(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr));
  EXPECT_CL(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue_, image, left, 0, nullptr, nullptr));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(ImageTransferTest, Migrates) {
  Image image = make_image(context_, k2d, kRgba8);
  Buffer buffer = make_buffer(context_, 64);
  const cl_mem both[] = {image, buffer};
  Event event;
  EXPECT_OK(clEnqueueMigrateMemObjects(queue_, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr,
                                       event.out()));
  EXPECT_OK(clWaitForEvents(1, event.list()));
}

// The commands are events of their types, wait for others, and keep what they use.
TEST_F(ImageTransferTest, AreEvents) {
  const size_t bytes = k2d.elements() * 4;
  Bytes host(bytes, 9);
  Image image = make_image(context_, k2d, kRgba8), other = make_image(context_, k2d, kRgba8);
  Buffer buffer = make_buffer(context_, bytes);
  Event gate = user_event(context_);
  const Position zero = {0, 0, 0}, all = k2d.extent();
  const size_t *o = zero.data(), *r = all.data();
  const float kColor[] = {0.2f, 0.4f, 0.6f, 0.8f};
  Event events[6];
  ASSERT_OK(clEnqueueFillImage(queue_, image, kColor, o, r, 1, gate.list(), events[0].out()));
  ASSERT_OK(clEnqueueCopyImage(queue_, image, other, o, o, r, 0, nullptr, events[1].out()));
  ASSERT_OK(
      clEnqueueCopyImageToBuffer(queue_, other, buffer, o, r, 0, 0, nullptr, events[2].out()));
  ASSERT_OK(
      clEnqueueCopyBufferToImage(queue_, buffer, image, 0, o, r, 0, nullptr, events[3].out()));
  ASSERT_OK(clEnqueueReadImage(queue_, image, CL_FALSE, o, r, 0, 0, host.data(), 0, nullptr,
                               events[4].out()));
  ASSERT_OK(clEnqueueWriteImage(queue_, other, CL_FALSE, o, r, 0, 0, host.data(), 0, nullptr,
                                events[5].out()));
  image.reset();
  other.reset();
  buffer.reset();
  EXPECT_EQ(9, host[0]);
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clFinish(queue_));
  EXPECT_EQ((Bytes{51, 102, 153, 204}), Bytes(host.begin(), host.begin() + 4));
  EXPECT_EQ((Bytes{51, 102, 153, 204}), Bytes(host.end() - 4, host.end()));
  const cl_command_type kTypes[] = {
      CL_COMMAND_FILL_IMAGE,           CL_COMMAND_COPY_IMAGE, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
      CL_COMMAND_COPY_BUFFER_TO_IMAGE, CL_COMMAND_READ_IMAGE, CL_COMMAND_WRITE_IMAGE};
  for (size_t i = 0; i < std::size(kTypes); ++i)
    EXPECT_EQ(kTypes[i], info<cl_command_type>(clGetEventInfo, events[i], CL_EVENT_COMMAND_TYPE));
}

// A call with the arguments that all of these commands have.
using Command = std::function<cl_int(cl_command_queue, cl_mem image, const size_t* origin,
                                     const size_t* region, cl_uint events, const cl_event* list)>;

TEST_F(ImageTransferTest, BadArgumentsOfAllCommands) {
  Buffer buffer = make_buffer(context_, 4096);
  Image partner = make_image(context_, k2d, kRgba8);
  Context other_context = make_context();
  Image foreign = make_image(other_context, k2d, kRgba8);
  Event foreign_event = user_event(other_context);
  Bytes host(4096);
  const Position zero = {0, 0, 0};
  const float kColor[4] = {};
  const struct {
    const char* name;
    Command call;
  } kCommands[] = {
      {"read",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueReadImage(q, m, CL_TRUE, o, r, 0, 0, host.data(), n, e, nullptr);
       }},
      {"write",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueWriteImage(q, m, CL_TRUE, o, r, 0, 0, host.data(), n, e, nullptr);
       }},
      {"fill",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) { return clEnqueueFillImage(q, m, kColor, o, r, n, e, nullptr); }},
      {"copy from",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueCopyImage(q, m, partner, o, zero.data(), r, n, e, nullptr);
       }},
      {"copy to",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueCopyImage(q, partner, m, zero.data(), o, r, n, e, nullptr);
       }},
      {"to buffer",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueCopyImageToBuffer(q, m, buffer, o, r, 0, n, e, nullptr);
       }},
      {"from buffer",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         return clEnqueueCopyBufferToImage(q, buffer, m, 0, o, r, n, e, nullptr);
       }},
      {"map",
       [&](cl_command_queue q, cl_mem m, const size_t* o, const size_t* r, cl_uint n,
           const cl_event* e) {
         size_t row, slice;
         cl_int code = 1;
         void* mapped = clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, o, r, &row, &slice, n, e,
                                          nullptr, &code);
         EXPECT_EQ(code == CL_SUCCESS, mapped != nullptr);
         if (mapped) clEnqueueUnmapMemObject(q, m, mapped, 0, nullptr, nullptr);
         return code;
       }},
  };
  for (const auto& command : kCommands) {
    SCOPED_TRACE(command.name);
    const auto& call = command.call;
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(shape.name);
      Image image = make_image(context_, shape, kRgba8);
      const Position one = {1, 1, 1};
      EXPECT_OK(call(queue_, image, zero.data(), one.data(), 0, nullptr));
      const Position all = shape.extent();
      for (size_t d = 0; d < 3; ++d) {
        SCOPED_TRACE(d);
        const auto refused = [&](size_t origin, size_t extent) {
          Position o = zero, r = one;
          o[d] = origin;
          r[d] = extent;
          EXPECT_CL(CL_INVALID_VALUE, call(queue_, image, o.data(), r.data(), 0, nullptr))
              << origin << " + " << extent;
        };
        refused(0, 0);
        refused(0, all[d] + 1);
        refused(all[d], 1);
        refused(all[d] - 1, 2);
        refused(1, SIZE_MAX);
        refused(SIZE_MAX, 1);
      }
    }
    Image image = make_image(context_, k2d, kRgba8);
    const size_t kOne[] = {1, 1, 1};
    const size_t* o = zero.data();
    const cl_event kNoEvent[] = {nullptr};
    expect_all({
        BAD(CL_INVALID_COMMAND_QUEUE, call(nullptr, image, o, kOne, 0, nullptr)),
        BAD(CL_INVALID_MEM_OBJECT, call(queue_, nullptr, o, kOne, 0, nullptr)),
        BAD(CL_INVALID_MEM_OBJECT, call(queue_, buffer, o, kOne, 0, nullptr)),
        BAD(CL_INVALID_CONTEXT, call(queue_, foreign, o, kOne, 0, nullptr)),
        BAD(CL_INVALID_CONTEXT, call(queue_, image, o, kOne, 1, foreign_event.list())),
        BAD(CL_INVALID_VALUE, call(queue_, image, nullptr, kOne, 0, nullptr)),
        BAD(CL_INVALID_VALUE, call(queue_, image, o, nullptr, 0, nullptr)),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, image, o, kOne, 1, nullptr)),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, image, o, kOne, 0, kNoEvent)),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, image, o, kOne, 1, kNoEvent)),
    });
  }
}

TEST_F(ImageTransferTest, BadTransfers) {
  Image flat = make_image(context_, k2d, kRgba8), line = make_image(context_, k1d, kRgba8),
        lines = make_image(context_, k1dArray, kRgba8), deep = make_image(context_, k3d, kRgba8);
  Bytes host(4096);
  const size_t o[] = {0, 0, 0}, r[] = {4, 2, 1};
  const size_t kRow[] = {4, 1, 1};
  void* h = host.data();
  const auto read = [&](cl_mem m, const size_t* region, size_t row, size_t slice, void* to) {
    return clEnqueueReadImage(queue_, m, CL_TRUE, o, region, row, slice, to, 0, nullptr, nullptr);
  };
  const auto write = [&](cl_mem m, const size_t* region, size_t row, size_t slice, void* from) {
    return clEnqueueWriteImage(queue_, m, CL_TRUE, o, region, row, slice, from, 0, nullptr,
                               nullptr);
  };
  const std::function<cl_int(cl_mem, const size_t*, size_t, size_t, void*)> kBoth[] = {read, write};
  for (const auto& call : kBoth) {
    expect_all({
        BAD(CL_INVALID_VALUE, call(flat, r, 0, 0, nullptr)),
        BAD(CL_INVALID_VALUE, call(flat, r, 15, 0, h)),
        BAD(CL_INVALID_VALUE, call(flat, r, 16, 32, h)),
        BAD(CL_INVALID_VALUE, call(line, kRow, 16, 16, h)),
        BAD(CL_INVALID_VALUE, call(deep, r, 16, 31, h)),
        BAD(CL_INVALID_VALUE, call(deep, r, 20, 36, h)),
        BAD(CL_INVALID_VALUE, call(lines, r, 16, 15, h)),
    });
    EXPECT_OK(call(deep, r, 16, 32, h));
    EXPECT_OK(call(lines, r, 16, 16, h));
  }
  Image floats = make_image(context_, k2d, {{CL_RGBA, CL_FLOAT}, 16});
  Buffer small = make_buffer(context_, 31);
  Buffer storage = make_buffer(context_, 256);
  cl_image_desc desc = k1dBuffer.desc();
  desc.mem_object = storage;
  Image in_buffer(clCreateImage(context_, 0, &kRgba8.format, &desc, nullptr, nullptr));
  const auto copy_out = [&](cl_mem from, cl_mem to, size_t offset) {
    return clEnqueueCopyImageToBuffer(queue_, from, to, o, kRow, offset, 0, nullptr, nullptr);
  };
  const auto copy_in = [&](cl_mem from, cl_mem to, size_t offset) {
    return clEnqueueCopyBufferToImage(queue_, from, to, offset, o, kRow, 0, nullptr, nullptr);
  };
  EXPECT_OK(copy_out(flat, small, 15));
  EXPECT_OK(copy_in(small, flat, 15));
  size_t row, slice;
  const auto map = [&](cl_mem m, cl_map_flags flags, size_t* row_pitch, size_t* slice_pitch,
                       cl_int* code) {
    return clEnqueueMapImage(queue_, m, CL_TRUE, flags, o, kRow, row_pitch, slice_pitch, 0, nullptr,
                             nullptr, code);
  };
  constexpr cl_map_flags kRead = CL_MAP_READ;
  expect_all({
      BAD(CL_IMAGE_FORMAT_MISMATCH,
          clEnqueueCopyImage(queue_, flat, floats, o, o, r, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, copy_out(flat, deep, 0)),
      BAD(CL_INVALID_MEM_OBJECT, copy_in(deep, flat, 0)),
      BAD(CL_INVALID_MEM_OBJECT, copy_out(flat, nullptr, 0)),
      BAD(CL_INVALID_MEM_OBJECT, copy_in(nullptr, flat, 0)),
      BAD(CL_INVALID_MEM_OBJECT, copy_out(in_buffer, storage, 64)),
      BAD(CL_INVALID_MEM_OBJECT, copy_in(storage, in_buffer, 64)),
      BAD(CL_INVALID_VALUE, copy_out(flat, small, 16)),
      BAD(CL_INVALID_VALUE, copy_in(small, flat, 16)),
      BAD(CL_INVALID_VALUE, copy_out(flat, small, SIZE_MAX)),
      BAD(CL_INVALID_VALUE, copy_in(small, flat, SIZE_MAX)),
      BAD(CL_INVALID_VALUE,
          clEnqueueFillImage(queue_, flat, nullptr, o, kRow, 0, nullptr, nullptr)),
      BAD_CREATE(CL_INVALID_VALUE, map(flat, kRead, nullptr, &slice, err)),
      BAD_CREATE(CL_INVALID_VALUE, map(deep, kRead, &row, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, map(lines, kRead, &row, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, map(flat, 1 << 10, &row, &slice, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 map(flat, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, &row, &slice, err)),
  });
  EXPECT_EQ(0u, info<cl_uint>(clGetMemObjectInfo, flat, CL_MEM_MAP_COUNT));
  // And images are no buffers.
  int value = 0;
  cl_int code = 0;
  EXPECT_CL(CL_INVALID_MEM_OBJECT,
            clEnqueueReadBuffer(queue_, flat, CL_TRUE, 0, 4, h, 0, nullptr, nullptr));
  EXPECT_CL(CL_INVALID_MEM_OBJECT,
            clEnqueueWriteBuffer(queue_, flat, CL_TRUE, 0, 4, h, 0, nullptr, nullptr));
  EXPECT_CL(CL_INVALID_MEM_OBJECT,
            clEnqueueCopyBuffer(queue_, flat, small, 0, 0, 4, 0, nullptr, nullptr));
  EXPECT_CL(CL_INVALID_MEM_OBJECT,
            clEnqueueFillBuffer(queue_, flat, &value, 4, 0, 4, 0, nullptr, nullptr));
  EXPECT_EQ(nullptr,
            clEnqueueMapBuffer(queue_, flat, CL_TRUE, kRead, 0, 4, 0, nullptr, nullptr, &code));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, code);
}

// What the host may do with an image is said when it is made; copies and fills are the device's.
TEST_F(ImageTransferTest, HostAccess) {
  const size_t o[] = {0, 0, 0}, r[] = {1, 1, 1};
  int host = 0;
  const auto read = [&](cl_mem m) {
    return clEnqueueReadImage(queue_, m, CL_TRUE, o, r, 0, 0, &host, 0, nullptr, nullptr);
  };
  const auto write = [&](cl_mem m) {
    return clEnqueueWriteImage(queue_, m, CL_TRUE, o, r, 0, 0, &host, 0, nullptr, nullptr);
  };
  const auto map = [&](cl_mem m, cl_map_flags flags) {
    size_t row;
    cl_int code = 1;
    void* mapped = clEnqueueMapImage(queue_, m, CL_TRUE, flags, o, r, &row, nullptr, 0, nullptr,
                                     nullptr, &code);
    if (mapped) clEnqueueUnmapMemObject(queue_, m, mapped, 0, nullptr, nullptr);
    return code;
  };
  const struct {
    cl_mem_flags flags;
    bool read, write;
  } kCases[] = {{CL_MEM_HOST_READ_ONLY, true, false},
                {CL_MEM_HOST_WRITE_ONLY, false, true},
                {CL_MEM_HOST_NO_ACCESS, false, false},
                {0, true, true}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.flags);
    Image image = make_image(context_, k2d, kRgba8, c.flags);
    const cl_int may_read = c.read ? CL_SUCCESS : CL_INVALID_OPERATION;
    const cl_int may_write = c.write ? CL_SUCCESS : CL_INVALID_OPERATION;
    EXPECT_CL(may_read, read(image));
    EXPECT_CL(may_write, write(image));
    EXPECT_CL(may_read, map(image, CL_MAP_READ));
    EXPECT_CL(may_write, map(image, CL_MAP_WRITE));
    EXPECT_CL(may_write, map(image, CL_MAP_WRITE_INVALIDATE_REGION));
    const float kColor[4] = {};
    EXPECT_OK(clEnqueueFillImage(queue_, image, kColor, o, r, 0, nullptr, nullptr));
  }
}

// Large enough for several compute units.
TEST_F(ImageTransferTest, LargeImages) {
  const Shape shape = {"2-D", CL_MEM_OBJECT_IMAGE2D, 2048, 1500, 0, 0};
  std::vector<cl_uint> host(shape.elements());
  std::iota(host.begin(), host.end(), 0);
  Image image = make_image(context_, shape, kRgba8, CL_MEM_COPY_HOST_PTR, host.data());
  Image other = make_image(context_, shape, kRgba8);
  const Position left = {0, 0, 0}, right = {1024, 0, 0}, half = {1024, 1500, 1},
                 all = shape.extent();
  EXPECT_OK(clEnqueueCopyImage(queue_, image, other, left.data(), right.data(), half.data(), 0,
                               nullptr, nullptr));
  const float kWhite[] = {1, 1, 1, 1};
  EXPECT_OK(
      clEnqueueFillImage(queue_, other, kWhite, left.data(), half.data(), 0, nullptr, nullptr));
  std::vector<cl_uint> back(host.size()), expected(host.size());
  for (size_t y = 0; y < 1500; ++y)
    for (size_t x = 0; x < 2048; ++x)
      expected[y * 2048 + x] = x < 1024 ? 0xffffffff : host[y * 2048 + x - 1024];
  EXPECT_OK(clEnqueueReadImage(queue_, other, CL_TRUE, left.data(), all.data(), 0, 0, back.data(),
                               0, nullptr, nullptr));
  EXPECT_TRUE(expected == back);
}

}  // namespace
}  // namespace conclave::test
