// SPDX-License-Identifier: Apache-2.0
// Packets along other dimensions than 0, and of several rows at once: work-items do what they do
// alone, for sizes that fill packets and rows and for such that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void by_rows(global const int* in, global int* out, int columns, int rows) {
    int row = get_global_id(0) - get_global_offset(0);
    int column = get_global_id(1) - get_global_offset(1);
    int plane = get_global_id(2) - get_global_offset(2);
    int place = (plane * rows + row) * columns + column;
    out[place] += in[place] * 3 + row;
  }
  kernel void transpose(global const int* in, global int* out, int columns, int rows) {
    int column = get_global_id(0) - get_global_offset(0);
    int row = get_global_id(1) - get_global_offset(1);
    int plane = (get_global_id(2) - get_global_offset(2)) * rows * columns;
    out[plane + column * rows + row] += in[plane + row * columns + column];
  }
  kernel void product(global const int* in, global int* out, int columns, int rows) {
    int column = get_global_id(0) - get_global_offset(0);
    int row = get_global_id(1) - get_global_offset(1);
    int plane = (get_global_id(2) - get_global_offset(2)) * rows * columns;
    int sum = 0;
    for (int k = 0; k < 5; ++k)
      sum += in[(row * 7 + k) % columns] * in[k * columns + column];
    out[plane + row * columns + column] += sum;
  }
  kernel void exchange(global const int* in, global int* out, int columns, int rows,
                       local int* tile) {
    int x = get_local_id(1), y = get_local_id(0), z = get_local_id(2);
    int row = get_global_id(0) - get_global_offset(0);
    int column = get_global_id(1) - get_global_offset(1);
    int place = ((get_global_id(2) - get_global_offset(2)) * rows + row) * columns + column;
    int width = get_local_size(1), line = (z * (int)get_local_size(0) + y) * width;
    int mine = in[place] - y;
    tile[line + x] = in[place];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place] += tile[line + width - 1 - x] + mine;
  })";

const Program& usual() {
  static const Program program(kSource, "-cl-std=CL3.0");
  return program;
}

// Packets that short rows fill too.
const Program& narrow() {
  static const Program program(kSource, "-cl-std=CL3.0 -cl-conclave-width=4");
  return program;
}

class LaneDimension : public testing::TestWithParam<Range> {
 protected:
  size_t rows(bool first) const { return range().global[first ? 0 : 1]; }
  size_t columns(bool first) const { return range().global[first ? 1 : 0]; }
  const Range& range() const { return GetParam(); }

  std::vector<cl_int> numbers() const {
    std::vector<cl_int> values(range().global[0] * range().global[1] * range().global[2] +
                               5 * std::max(range().global[0], range().global[1]));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<cl_int>(i * i % 1009);
    return values;
  }

  // Runs a kernel whose rows are in dimension 0, or in dimension 1, and compares all of its output:
  // what a work-item adds twice is wrong.
  template <class Expected, class... More>
  void check(const char* kernel, bool rows_first, const Expected& expected, const More&... more) {
    const std::vector<cl_int> in = numbers();
    const size_t width = columns(rows_first), height = rows(rows_first);
    for (const Program* program : {&usual(), &narrow()}) {
      Buffer<cl_int> out(in.size());
      program->run(kernel, range(), Buffer<cl_int>(in), out, static_cast<cl_int>(width),
                   static_cast<cl_int>(height), more...);
      const std::vector<cl_int> results = out.read();
      for (size_t z = 0; z < range().global[2]; ++z)
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x) {
            const auto [place, value] = expected(in, z, y, x);
            ASSERT_EQ(results[place], value) << x << ", " << y << ", " << z;
          }
      for (size_t i = width * height * range().global[2]; i < in.size(); ++i)
        ASSERT_EQ(results[i], 0);
    }
  }
};

using Element = std::pair<size_t, cl_int>;

TEST_P(LaneDimension, OneHasTheNeighbours) {
  const size_t width = columns(true), height = rows(true);
  check("by_rows", true, [=](const std::vector<cl_int>& in, size_t z, size_t y, size_t x) {
    const size_t place = (z * height + y) * width + x;
    return Element(place, in[place] * 3 + static_cast<cl_int>(y));
  });
}

TEST_P(LaneDimension, RowsAreTransposedTogether) {
  const size_t width = columns(false), height = rows(false);
  check("transpose", false, [=](const std::vector<cl_int>& in, size_t z, size_t y, size_t x) {
    const size_t plane = z * width * height;
    return Element(plane + x * height + y, in[plane + y * width + x]);
  });
}

TEST_P(LaneDimension, RowsShareWhatTheyLoad) {
  const size_t width = columns(false), height = rows(false);
  check("product", false, [=](const std::vector<cl_int>& in, size_t z, size_t y, size_t x) {
    cl_int sum = 0;
    for (size_t k = 0; k < 5; ++k) sum += in[(y * 7 + k) % width] * in[k * width + x];
    return Element((z * height + y) * width + x, sum);
  });
}

TEST_P(LaneDimension, IsThatOfRowsBetweenBarriers) {
  const size_t width = columns(true), height = rows(true);
  const size_t group = range().local[0] * range().local[1] * range().local[2];
  check(
      "exchange", true,
      [&](const std::vector<cl_int>& in, size_t z, size_t y, size_t x) {
        const size_t line = (z * height + y) * width;
        const size_t begin = x - x % range().local[1];
        const size_t last = std::min(begin + range().local[1], width) - 1;
        return Element(line + x, in[line + last - (x - begin)] + in[line + x] -
                                     static_cast<cl_int>(y % range().local[0]));
      },
      Local{group * sizeof(cl_int)});
}

INSTANTIATE_TEST_SUITE_P(Sizes, LaneDimension,
                         testing::Values(Range{{64, 64, 1}, {16, 16, 1}, {0, 0, 0}},
                                         Range{{5, 200, 2}, {5, 100, 1}, {3, 70, 1}},
                                         Range{{33, 47, 1}, {8, 8, 1}, {0, 0, 0}},
                                         Range{{40, 37, 3}, {4, 6, 2}, {0, 5, 9}},
                                         Range{{300, 9, 1}, {100, 3, 1}, {0, 0, 0}},
                                         Range{{6, 1000, 1}, {1, 64, 1}, {0, 0, 0}},
                                         Range{{70, 6, 1}, {64, 2, 1}, {0, 0, 0}}),
                         [](const auto& test) {
                           const std::vector<size_t>& size = test.param.global;
                           return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
                                  std::to_string(size[2]);
                         });

}  // namespace
}  // namespace conclave::test
