// SPDX-License-Identifier: Apache-2.0
// What kernels see of the launch: indices, arguments, local memory, printf, division.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

TEST(Kernel, AddsVectors) {
  CompiledProgram program(
      "kernel void vadd(global const float* a, global const float* b, global float* c) {"
      "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }");
  std::vector<float> a(1000), b(1000), c(1000);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 5.0f);
  program.run("vadd", Arguments().add(a.data()).add(b.data()).add(c.data()), range1(1000, 100));
  for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], a[i] + b[i]);
}

TEST(Kernel, WorksInPlaceWithoutRestrict) {
  CompiledProgram program(
      "kernel void shift(global const int* a, global int* b) {"
      "  int i = get_global_id(0); b[i] = a[i] + 1; }");
  std::vector<int> data(256);
  std::iota(data.begin(), data.end(), 0);
  program.run("shift", Arguments().add(data.data()).add(data.data()), range1(256, 64));
  for (int i = 0; i < 256; ++i) ASSERT_EQ(data[i], i + 1);
}

// LLVM's loop vectorizer has its turn where kernels have no packets.
TEST(Kernel, ReadsByIndicesThatWrapAround) {
  CompiledProgram program(
      "kernel void k(global const ushort* in, global int* out) {"
      "  for (int i = 0; i < 256; ++i) out[i] = in[(uchar)(i * 3)]; }",
      "-cl-conclave-width=1");
  std::vector<uint16_t> in(256);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(256);
  program.run("k", Arguments().add(in.data()).add(out.data()), range1(1, 1));
  for (int i = 0; i < 256; ++i) ASSERT_EQ(out[i], i * 3 % 256) << i;
}

// As much as no cache keeps goes past the caches, if to the begin of lines.
TEST(Kernel, StoresMoreThanCachesKeep) {
  CompiledProgram program(
      "kernel void twice(global const int* a, global int* b) {"
      "  size_t i = get_global_id(0); b[i] = 2 * a[i]; }");
  constexpr size_t kCount = 8 << 20, kLine = 16;
  std::vector<int> in(kCount), out(kCount + 2 * kLine);
  std::iota(in.begin(), in.end(), 0);
  const auto place = reinterpret_cast<uintptr_t>(out.data()) / sizeof(int);
  for (const size_t distance : {0, 1, 8}) {
    const size_t first = (kLine - place % kLine) % kLine + distance;
    std::ranges::fill(out, -1);
    program.run("twice", Arguments().add(in.data()).add(&out[first]), range1(kCount, 256));
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i < first || i >= first + kCount ? -1 : 2 * in[i - first]) << i;
  }
}

// Lines that are written across the rows go past the caches too, also behind a barrier.
TEST(Kernel, StoresLinesAcrossRows) {
  CompiledProgram program(
      "kernel void plain(global const int* a, global int* b, int width, int height) {"
      "  int x = get_global_id(0), y = get_global_id(1);"
      "  b[x * height + y] = a[y * width + x]; }"
      "kernel void tiled(global const int* a, global int* b, int width, int height) {"
      "  local int tile[16][17];"
      "  int x = get_local_id(0), y = get_local_id(1);"
      "  int column = get_group_id(0) * 16, row = get_group_id(1) * 16;"
      "  tile[y][x] = a[(row + y) * width + column + x];"
      "  barrier(CLK_LOCAL_MEM_FENCE);"
      "  b[(column + y) * height + row + x] = tile[x][y]; }");
  constexpr int kWidth = 4096, kHeight = 2064, kLine = 16;
  constexpr size_t kCount = size_t{kWidth} * kHeight;
  std::vector<int> in(kCount), out(kCount + 2 * kLine);
  std::iota(in.begin(), in.end(), 0);
  const auto place = reinterpret_cast<uintptr_t>(out.data()) / sizeof(int);
  for (const char* kernel : {"plain", "tiled"})
    for (const size_t distance : {0, 3}) {
      const size_t first = (kLine - place % kLine) % kLine + distance;
      std::ranges::fill(out, -1);
      program.run(kernel,
                  Arguments().add(in.data()).add(&out[first]).add(int{kWidth}).add(int{kHeight}),
                  range2(kWidth, kHeight, 16, 16));
      for (size_t i = 0; i < kCount; ++i)
        ASSERT_EQ(out[first + i], in[i % kHeight * kWidth + i / kHeight]) << kernel << " " << i;
      const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
      EXPECT_EQ(std::count(out.begin(), begin, -1), static_cast<std::ptrdiff_t>(first));
      EXPECT_EQ(std::count(begin + kCount, out.end(), -1), out.end() - begin - kCount);
    }
}

// Every index function, for all dimensions and one too many, as one record per work-item.
constexpr char kIndexSource[] =
    "kernel void indices(global ulong* out, uint dim) {"
    "  ulong x = get_global_id(0) - get_global_offset(0);"
    "  ulong y = get_global_id(1) - get_global_offset(1);"
    "  ulong z = get_global_id(2) - get_global_offset(2);"
    "  ulong item = (z * get_global_size(1) + y) * get_global_size(0) + x;"
    "  global ulong* r = out + item * 12;"
    "  r[0] = get_work_dim(); r[1] = get_global_size(dim); r[2] = get_global_id(dim);"
    "  r[3] = get_local_size(dim); r[4] = get_enqueued_local_size(dim); r[5] = get_local_id(dim);"
    "  r[6] = get_num_groups(dim); r[7] = get_group_id(dim); r[8] = get_global_offset(dim);"
    "  r[9] = get_global_linear_id(); r[10] = get_local_linear_id(); r[11] = item; }";

struct IndexModel {
  Range range;
  Size item;  // without offset

  uint64_t group(size_t d) const { return item[d] / range.local[d]; }
  uint64_t local_id(size_t d) const { return item[d] % range.local[d]; }
  uint64_t local_size(size_t d) const {
    return std::min(range.local[d], range.global[d] - group(d) * range.local[d]);
  }
  std::vector<uint64_t> record(size_t d, uint64_t work_dim) const {
    uint64_t linear = (item[2] * range.global[1] + item[1]) * range.global[0] + item[0];
    uint64_t local_linear =
        (local_id(2) * local_size(1) + local_id(1)) * local_size(0) + local_id(0);
    if (d >= 3) return {work_dim, 1, 0, 1, 1, 0, 1, 0, 0, linear, local_linear, linear};
    uint64_t groups = (range.global[d] + range.local[d] - 1) / range.local[d];
    return {work_dim,      range.global[d], item[d] + range.offset[d],
            local_size(d), range.local[d],  local_id(d),
            groups,        group(d),        range.offset[d],
            linear,        local_linear,    linear};
  }
};

void check_indices(CompiledProgram& program, const Range& range, uint64_t work_dim,
                   uint64_t slice) {
  uint64_t items = range.global[0] * range.global[1] * range.global[2];
  for (uint32_t d = 0; d < 4; ++d) {
    std::vector<uint64_t> out(items * 12, ~uint64_t{0});
    program.run("indices", Arguments().add(out.data()).add(d), range, slice);
    for (uint64_t z = 0; z < range.global[2]; ++z)
      for (uint64_t y = 0; y < range.global[1]; ++y)
        for (uint64_t x = 0; x < range.global[0]; ++x) {
          IndexModel model = {range, {x, y, z}};
          uint64_t item = (z * range.global[1] + y) * range.global[0] + x;
          std::vector<uint64_t> got(&out[item * 12], &out[item * 12] + 12);
          ASSERT_EQ(got, model.record(d, work_dim)) << "item " << item << ", dimension " << d;
        }
  }
}

TEST(Kernel, KnowsItsPlace) {
  CompiledProgram program(kIndexSource, "-cl-std=CL3.0");
  check_indices(program, {{24, 1, 1}, {8, 1, 1}, {}}, 1, 2);
  check_indices(program, {{6, 4, 1}, {3, 2, 1}, {100, 7, 0}}, 2, 1);
  check_indices(program, {{6, 4, 5}, {2, 2, 5}, {0, 0, 9}}, 3, 5);
}

TEST(Kernel, RunsGroupsThatAreSmaller) {
  CompiledProgram program(kIndexSource, "-cl-std=CL2.0");
  EXPECT_FALSE(program.kernel_metadata("indices")["uniform_work_groups"].get<bool>());
  check_indices(program, {{25, 1, 1}, {8, 1, 1}, {}}, 1, 3);
  check_indices(program, {{7, 5, 3}, {3, 2, 2}, {1, 2, 3}}, 3, 4);
}

TEST(Kernel, BarriersInGroupsThatAreSmaller) {
  CompiledProgram program(
      "kernel void last(global int* out, local int* t) {"
      "  int l = get_local_linear_id(); int v = get_global_linear_id() * 3; t[l] = v;"
      "  barrier(CLK_LOCAL_MEM_FENCE);"
      "  out[get_global_linear_id()] = t[get_local_size(0) * get_local_size(1) - 1 - l] + v; }",
      "-cl-std=CL3.0");
  const Range range = range2(7, 5, 3, 2);
  std::vector<int> out(35);
  program.run("last", Arguments().add(out.data()).add(LocalBytes{24}), range, 2);
  for (uint64_t y = 0; y < 5; ++y)
    for (uint64_t x = 0; x < 7; ++x) {
      uint64_t gx = x / 3 * 3, gy = y / 2 * 2;
      uint64_t sx = std::min<uint64_t>(3, 7 - gx), sy = std::min<uint64_t>(2, 5 - gy);
      uint64_t partner = (gy + sy - 1 - (y - gy)) * 7 + gx + sx - 1 - (x - gx);
      ASSERT_EQ(out[y * 7 + x], static_cast<int>(3 * partner + 3 * (y * 7 + x)));
    }
}

TEST(Kernel, UsesLocalArgumentsAndVariables) {
  CompiledProgram program(
      "kernel void k(global int* out, local int* a, local char* c, local long2* b) {"
      "  local int v[4]; local double w; int l = get_local_id(0);"
      "  a[l] = l; c[l] = l * 2; b[l] = (long2)(l, 7); v[l] = l * 3; if (l == 0) w = 0.5;"
      "  barrier(CLK_LOCAL_MEM_FENCE); int o = 3 - l;"
      "  out[get_global_id(0)] = a[o] + c[o] * 10 + (int)b[o].y * 100 + v[o] * 1000 + (int)(w * "
      "20000);"
      "}");
  std::vector<int> out(8);
  program.run(
      "k", Arguments().add(out.data()).add(LocalBytes{16}).add(LocalBytes{5}).add(LocalBytes{64}),
      range1(8, 4));
  for (int i = 0; i < 8; ++i) {
    int o = 3 - i % 4;
    EXPECT_EQ(out[i], o + 20 * o + 700 + 3000 * o + 10000);
  }
  const auto& arguments = program.kernel_metadata("k")["arguments"];
  EXPECT_EQ(arguments[1]["kind"], "local");
  EXPECT_EQ(program.kernel_metadata("k")["local_bytes"], 24);
}

TEST(Kernel, TakesArgumentsOfAllKinds) {
  CompiledProgram program(
      "typedef struct { char a; float3 b; short c[3]; } S;\n"
      "kernel void k(char a, double b, uchar3 c, S s, float16 v, global double* out, ulong z,"
      "              constant int* table) {"
      "  out[0] = a; out[1] = b; out[2] = c.z; out[3] = s.a; out[4] = s.b.y; out[5] = s.c[2];"
      "  out[6] = v.sf; out[7] = z; out[8] = table[1]; }");
  struct alignas(16) S {
    int8_t a;
    alignas(16) float b[4];
    int16_t c[3];
  } s = {1, {2, 3, 4, 0}, {5, 6, 7}};
  std::array<uint8_t, 4> c = {8, 9, 10, 0};
  std::array<float, 16> v = {};
  v[15] = 11.5f;
  std::vector<double> out(9);
  const int table[] = {20, 21};
  program.run("k",
              Arguments()
                  .add(int8_t{-3})
                  .add(2.5)
                  .add(c)
                  .add(s)
                  .add(v)
                  .add(out.data())
                  .add(uint64_t{12})
                  .add(&table[0]),
              range1(1, 1));
  EXPECT_EQ(out, (std::vector<double>{-3, 2.5, 10, 1, 3, 7, 11.5, 12, 21}));
}

TEST(Kernel, CopiesStructuresThatItChanges) {
  CompiledProgram program(
      "typedef struct { int a[4]; } S;\n"
      "void bump(S* s, int by) { s->a[by & 3] += by; }\n"
      "kernel void k(S s, global int* out) {"
      "  int i = get_global_id(0); bump(&s, i); barrier(CLK_LOCAL_MEM_FENCE); bump(&s, i);"
      "  out[i] = s.a[0] + s.a[1] + s.a[2] + s.a[3]; }");
  struct S {
    int a[4];
  } s = {{1, 2, 3, 4}};
  std::vector<int> out(16);
  program.run("k", Arguments().add(s).add(out.data()), range1(16, 8));
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], 10 + 2 * i);
}

TEST(Kernel, Prints) {
  CompiledProgram program(
      "kernel void k(float f, int2 v) {"
      "  int r = printf(\"%d %f %v2d %s %c\\n\", 42, f, v, \"text\", 'x');"
      "  if (get_global_id(0) == 1) printf(\"%v3hhd|%lu|%d\\n\", (char3)(1, -2, 3), 1ul << 63, r);"
      "}");
  std::array<int, 2> v = {7, -8};
  std::string text = program.run("k", Arguments().add(1.5f).add(v), range1(2, 2));
  EXPECT_EQ(text,
            "%d %f %v2d %s %c\n|42 1.5 7,-8 pointer 120 \n"
            "%d %f %v2d %s %c\n|42 1.5 7,-8 pointer 120 \n"
            "%v3hhd|%lu|%d\n|1,-2,3 -9223372036854775808 7 \n");
}

TEST(Kernel, PrintsBetweenBarriers) {
  CompiledProgram program(
      "kernel void k() { int l = get_local_id(0); printf(\"a%d\", l);"
      "  barrier(CLK_LOCAL_MEM_FENCE); printf(\"b%d\", l); }");
  EXPECT_EQ(program.run("k", Arguments(), range1(2, 2)), "a%d|0 \na%d|1 \nb%d|0 \nb%d|1 \n");
}

TEST(Kernel, DividesByZeroWithoutTrap) {
  CompiledProgram program(
      "kernel void k(global int* a, global int* b, global long4* v, global uchar* u) {"
      "  int i = get_global_id(0); int q = a[i] / b[i], r = a[i] % b[i];"
      "  if (b[i] != 0 && !(b[i] == -1 && a[i] == INT_MIN)) a[i] = q * 100 + r;"
      "  v[i] = v[i] / (v[i] - v[i]) + v[i] % (v[i] * 0); u[i] = u[i] / (u[i] - u[i]); }");
  std::vector<int> a = {7, 7, INT32_MIN, -9}, b = {2, 0, -1, 4};
  std::vector<std::array<int64_t, 4>> v(4, {INT64_MIN, 1, 0, -1});
  std::vector<uint8_t> u(4, 3);
  program.run("k", Arguments().add(a.data()).add(b.data()).add(v.data()).add(u.data()),
              range1(4, 4));
  EXPECT_EQ(a, (std::vector<int>{301, 7, INT32_MIN, -201}));
}

TEST(Kernel, MasksShiftCounts) {
  CompiledProgram program(
      "kernel void k(global int* a, int by) { a[0] = 1 << by; a[1] = -64 >> by; }");
  std::vector<int> a(2);
  program.run("k", Arguments().add(a.data()).add(33), range1(1, 1));
  EXPECT_EQ(a, (std::vector<int>{2, -32}));
}

TEST(Kernel, CallsAnotherKernel) {
  CompiledProgram program(
      "kernel void inner(global int* a, int by) {"
      "  local int t[4]; int l = get_local_id(0); t[l] = a[get_global_id(0)];"
      "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[3 - l] * by; }\n"
      "kernel void outer(global int* a) { inner(a, 2); barrier(CLK_GLOBAL_MEM_FENCE); inner(a, 5); "
      "}");
  std::vector<int> a = {1, 2, 3, 4};
  program.run("outer", Arguments().add(a.data()), range1(4, 4));
  EXPECT_EQ(a, (std::vector<int>{10, 20, 30, 40}));
  program.run("inner", Arguments().add(a.data()).add(3), range1(4, 4));
  EXPECT_EQ(a, (std::vector<int>{120, 90, 60, 30}));
}

TEST(Kernel, KeepsProgramScopeVariables) {
  CompiledProgram program(
      "global int counter = 5; constant int table[3] = {1, 20, 300};\n"
      "kernel void add(int i) { counter += table[i]; }\n"
      "kernel void get(global int* out) { *out = counter; }",
      "-cl-std=CL3.0");
  int out = 0;
  program.run("add", Arguments().add(1), range1(1, 1));
  program.run("add", Arguments().add(2), range1(1, 1));
  program.run("get", Arguments().add(&out), range1(1, 1));
  EXPECT_EQ(out, 325);
  EXPECT_EQ(program.metadata()["global_bytes"], 4);
}

TEST(Kernel, KernelsAndFunctionsMayHaveAnyName) {
  CompiledProgram program(
      "int malloc(int n) { return n + 1; } float sinf(float x) { return x * 2; }\n"
      "int strlen(global int* p) { return *p; }\n"
      "kernel void memcpy(global int* a) { a[0] = malloc(a[0]) + (int)sinf(4) + strlen(a + 1); }\n"
      "kernel void _init(global int* a) { a[1] = 9; }");
  std::vector<int> a(64, 1);
  program.run("_init", Arguments().add(a.data()), range1(1, 1));
  program.run("memcpy", Arguments().add(a.data()), range1(1, 1));
  EXPECT_EQ(a[0], 2 + 8 + 9);
}

TEST(Kernel, FlushesDenormalsWhereAllowed) {
  const std::string source = "kernel void k(global float* a, float by) { a[0] *= by; }";
  float denormal = 1e-39f;
  float result = denormal;
  CompiledProgram keeping(source);
  keeping.run("k", Arguments().add(&result).add(1.0f), range1(1, 1));
  EXPECT_EQ(result, denormal);
  CompiledProgram flushing(source, "-cl-denorms-are-zero");
  flushing.run("k", Arguments().add(&result).add(1.0f), range1(1, 1));
  EXPECT_EQ(result, 0.0f);
  volatile float still = denormal;
  EXPECT_NE(still * 1.0f, 0.0f) << "the mode must not leak out of the kernel";
}

TEST(Kernel, CopiesAsynchronously) {
  CompiledProgram program(
      "kernel void k(global const float* in, global float* out, local float* t) {"
      "  event_t e = async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0);"
      "  wait_group_events(1, &e); int l = get_local_id(0); float v = t[7 - l];"
      "  barrier(CLK_LOCAL_MEM_FENCE); t[l] = v;"
      "  barrier(CLK_LOCAL_MEM_FENCE);"
      "  e = async_work_group_copy(out + get_group_id(0) * 8, t, 8, 0); wait_group_events(1, &e); "
      "}");
  std::vector<float> in(24), out(24);
  std::iota(in.begin(), in.end(), 0.0f);
  program.run("k", Arguments().add(in.data()).add(out.data()).add(LocalBytes{32}), range1(24, 8));
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(out[i], in[i / 8 * 8 + 7 - i % 8]);
}

TEST(Kernel, TakesGenericPointers) {
  CompiledProgram program(
      "float sum(const float* p, int n) {"
      "  float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }\n"
      "kernel void k(global float* g, local float* l) {"
      "  float p[4] = {1, 2, 3, 4}; l[0] = 5; g[0] = sum(g, 3) + sum(l, 1) + sum(p, 4); }",
      "-cl-std=CL2.0");
  std::vector<float> g = {100, 200, 300};
  program.run("k", Arguments().add(g.data()).add(LocalBytes{4}), range1(1, 1));
  EXPECT_EQ(g[0], 615);
}

// The packet form scatters to both, with one intrinsic for each address space.
TEST(Kernel, ScattersToGlobalAndPrivateMemory) {
  for (const char* width : {"1", "2", "4", "8", "16"}) {
    CompiledProgram program(
        "kernel void k(global const uint* in, global uint* strided, global uint* out, int n) {"
        "  uint g = get_global_id(0); uint p[8] = {n, n, 2, 3, 4, g, 8, 9};"
        "  if (n == 1) strided[2 * g] = in[g];"
        "  p[in[g] & 7] = g; out[g] = p[4]; }",
        std::string("-cl-conclave-width=") + width);
    std::vector<uint32_t> in(32), strided(64), out(32);
    for (uint32_t i = 0; i < 32; ++i) in[i] = i * 3;
    program.run("k", Arguments().add(in.data()).add(strided.data()).add(out.data()).add(1),
                range1(32, 16));
    for (uint32_t i = 0; i < 32; ++i) {
      ASSERT_EQ(strided[2 * i], i * 3) << "width " << width;
      ASSERT_EQ(strided[2 * i + 1], 0u) << "width " << width;
      ASSERT_EQ(out[i], (i * 3 & 7) == 4 ? i : 4) << "width " << width;
    }
  }
}

// In some packets the indices of the first lanes lie in the buffer, and those of the others have wrapped.
TEST(Kernel, UnsignedIndicesCountBack) {
  constexpr unsigned kItems = 300;
  std::vector<int> in(kItems), out(kItems);
  for (unsigned i = 0; i < kItems; ++i) in[i] = static_cast<int>(i * 7919 % 1000);
  for (const char* options : {"", "-cl-conclave-width=1", "-cl-conclave-width=64"}) {
    CompiledProgram program(R"(
kernel void k(global const int* in, global int* out, uint n) {
  const uint i = get_global_id(0), j = n - i - 1;
  out[i] = j < n ? in[j] : (int)~j;
})",
                            options);
    for (const unsigned n : {300U, 299U, 150U, 21U, 1U, 0U}) {
      program.run("k", Arguments().add(in.data()).add(out.data()).add(n), range1(kItems, 150));
      for (unsigned i = 0; i < kItems; ++i)
        ASSERT_EQ(out[i], i < n ? in[n - i - 1] : static_cast<int>(i - n))
            << options << ", " << n << " at " << i;
    }
  }
}

// Each lane's loop begins and ends with numbers of its own, which clamps change at the edges; the weights
// lie the other way round.
TEST(Kernel, WindowsEndAtTheEdges) {
  constexpr int kItems = 300;
  std::vector<int> in(kItems), weights(2 * kItems + 1), out(kItems);
  for (int i = 0; i < kItems; ++i) in[i] = i * 7919 % 1000;
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int>(i * 104729 % 997);
  for (const char* options : {"", "-cl-conclave-width=8", "-cl-conclave-width=64"}) {
    CompiledProgram program(R"(
kernel void k(global const int* in, global const int* weights, global int* out, int r, int step) {
  const int x = get_global_id(0), n = get_global_size(0);
  int sum = 0;
  for (int i = max(x - r, 0); i < min(x + r + 1, n); i += step) sum += in[i] * weights[x - i + n];
  out[x] = sum;
}
kernel void half_open(global const int* in, global const int* weights, global int* out, int r, int step) {
  const int x = get_global_id(0), n = get_global_size(0);
  int sum = 0;
  for (int i = r < x ? x - r : 1; i <= n - 2; i += step) {
    if (in[i] == 7) break;
    sum += in[i] * weights[x - i + n];
  }
  out[x] = sum;
})",
                            options);
    for (const int r : {0, 1, 5, 40, 150, 400}) {
      for (const int step : {1, 3}) {
        const auto run = [&](const char* kernel) {
          program.run(
              kernel,
              Arguments().add(in.data()).add(weights.data()).add(out.data()).add(r).add(step),
              range1(kItems, 150));
        };
        run("k");
        for (int x = 0; x < kItems; ++x) {
          int sum = 0;
          for (int i = std::max(x - r, 0); i < std::min(x + r + 1, kItems); i += step)
            sum += in[i] * weights[x - i + kItems];
          ASSERT_EQ(out[x], sum) << options << ", radius " << r << ", step " << step << " at " << x;
        }
        run("half_open");
        for (int x = 0; x < kItems; ++x) {
          int sum = 0;
          for (int i = r < x ? x - r : 1; i <= kItems - 2 && in[i] != 7; i += step)
            sum += in[i] * weights[x - i + kItems];
          ASSERT_EQ(out[x], sum) << options << ", radius " << r << ", step " << step << " at " << x;
        }
      }
    }
  }
}

TEST(Kernel, MathOfManyWorkItemsIsThatOfOne) {
  CompiledProgram program(
      "kernel void k(global const float* x, global float* y) {"
      "  int i = get_global_id(0); y[i] = sin(x[i]) + exp(x[i]) * sqrt(x[i]) + pow(x[i], 1.5f); }");
  std::vector<float> x(203), together(203), alone(203);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.05f * static_cast<float>(i);
  program.run("k", Arguments().add(x.data()).add(together.data()), range1(203, 203));
  program.run("k", Arguments().add(x.data()).add(alone.data()), range1(203, 1));
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(together[i], alone[i], 1e-6f * (1 + std::abs(alone[i]))) << x[i];
}

}  // namespace
}  // namespace conclave::test
