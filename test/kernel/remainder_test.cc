// SPDX-License-Identifier: Apache-2.0
// Rows of work-groups whose length is no multiple of a packet's lanes and known to the compiler.
#include <gtest/gtest.h>

#include <numeric>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Divergent loops, uniform branches around a barrier, private arrays and values live across it.
constexpr char kSource[] = R"(
  kernel REQUIRED void mix(global const int* in, global int* out, int flag) {
    local int shared[256];
    int l = get_local_linear_id();
    int n = get_local_size(0) * get_local_size(1);
    int kept[4] = {l, l + 1, l + 2, l + 3};
    shared[l] = in[get_global_linear_id()];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < (shared[l] & 7); ++i) sum += shared[n - 1 - l] * i + kept[i & 3];
    if (flag > 3) {
      barrier(CLK_LOCAL_MEM_FENCE);
      shared[l] = sum;
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += shared[(l + 1) % n];
    }
    if (get_local_id(0) == 2) atomic_add(&out[get_global_size(0) * get_global_size(1)], 1);
    out[get_global_linear_id()] = sum;
  })";

std::vector<cl_int> run(size_t x, size_t y, cl_int flag, const std::string& options) {
  const std::string required = "-cl-std=CL3.0 -DREQUIRED=__attribute__((reqd_work_group_size(" +
                               std::to_string(x) + "," + std::to_string(y) + ",1))) ";
  Program program(kSource, required + options);
  std::vector<cl_int> values(x * y * 3);
  std::iota(values.begin(), values.end(), 5);
  // Behind the results lie a counter and what no lane may touch.
  std::vector<cl_int> nothing(values.size() + 65, -1);
  nothing[values.size()] = 0;
  Buffer<cl_int> in(values), out(nothing);
  program.run("mix", {{x * 3, y}, {x, y}}, in, out, flag);
  return out.read();
}

TEST(Remainder, RowsOfEveryLength) {
  for (size_t x : {2, 3, 5, 8, 13, 18, 31})
    for (size_t y : {1, 3})
      for (cl_int flag : {0, 4}) {
        std::vector<cl_int> expected = run(x, y, flag, "-cl-opt-disable");
        ASSERT_EQ(run(x, y, flag, ""), expected) << x << " x " << y << ", flag " << flag;
        ASSERT_EQ(expected.back(), -1);
      }
}

// The rest's mask is kept in memory, since the loop over work-groups needs more masks than there are
// registers.
TEST(Remainder, LanesThatAreOffWriteNothing) {
  Program program(R"(
    typedef struct { double real; uint word; short number; uchar bytes[2]; } Record;
    kernel __attribute__((reqd_work_group_size(40, 1, 1)))
    void mark(global const uint* in, global const Record* records, global Record* marked,
              int mask, int factor) {
      long id = get_global_id(0);
      bool reads = (get_local_id(0) & 4) != 0 || (mask & 4) != 0;
      uint value = reads ? convert_int_sat(in[3 + get_global_id(0)]) * factor + 1u : 3869689656u;
      if ((value & 6) == 0) {
        global short* place = &marked[(id * 37 & 511) * 4].number;
        *place = rotate(convert_short_sat(get_global_id(1)), records[id].number) % 8;
      }
    })");
  struct Record {
    cl_double real;
    cl_uint word;
    cl_short number;
    cl_uchar bytes[2];
  };
  constexpr size_t kItems = 280, kPlaces = 512;
  Buffer<cl_uint> in(std::vector<cl_uint>(2 * kItems, 9));
  Buffer<Record> records(std::vector<Record>(2 * kItems));
  Buffer<Record> marked(std::vector<Record>(4 * kPlaces, Record{0, 0, -1, {}}));
  program.run("mark", {{kItems}, {40}}, in, records, marked, 15, 0);
  const std::vector<Record> result = marked.read();
  for (size_t id = 0; id < kPlaces; ++id)
    ASSERT_EQ(result[(id * 37 & 511) * 4].number, id < kItems ? 0 : -1) << id;
}

}  // namespace
}  // namespace conclave::test
