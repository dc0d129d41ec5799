// SPDX-License-Identifier: Apache-2.0
// Functions that extensions add to OpenCL C, in its oldest version and in its newest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

const char* const kVersions[] = {"", "-cl-std=CL3.0"};

template <class T>
class BitFields : public testing::Test {};
using IntegerTypes =
    testing::Types<cl_char, cl_uchar, cl_short, cl_ushort, cl_int, cl_uint, cl_long, cl_ulong>;
TYPED_TEST_SUITE(BitFields, IntegerTypes);

// The lowest `count` bits, at `offset`; the whole type and none of it included.
template <class U>
U mask_of(unsigned offset, unsigned count) {
  U mask = 0;
  for (unsigned bit = offset; bit < offset + count; ++bit)
    mask = static_cast<U>(mask | (U{1} << bit));
  return mask;
}

TYPED_TEST(BitFields, InsertAndExtract) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  constexpr unsigned kBits = 8 * sizeof(T);
  const std::pair<unsigned, unsigned> kFields[] = {
      {0, 0}, {0, 1}, {3, 4}, {0, kBits}, {1, kBits - 1}, {kBits - 1, 1}, {kBits, 0}, {2, 0}};
  std::vector<Builtin> builtins;
  for (const auto& [offset, count] : kFields) {
    const std::string field = ", " + std::to_string(offset) + ", " + std::to_string(count) + ")";
    const U mask = mask_of<U>(offset, count);
    const auto extract = [offset = offset, mask](T base) {
      return mask == 0 ? U{0} : static_cast<U>((static_cast<U>(base) & mask) >> offset);
    };
    builtins.push_back(
        exact<T, T, T>("bitfield_insert($0, $1" + field, [offset = offset, mask](T base, T insert) {
          const U shifted = mask == 0 ? U{0} : static_cast<U>(static_cast<U>(insert) << offset);
          return static_cast<U>((static_cast<U>(base) & static_cast<U>(~mask)) | (shifted & mask));
        }));
    builtins.push_back(exact<U, T>("bitfield_extract_unsigned($0" + field, extract));
    builtins.push_back(
        exact<S, T>("bitfield_extract_signed($0" + field, [extract, count = count](T base) {
          U value = extract(base);
          if (count > 0 && (value >> (count - 1) & 1))
            value |= static_cast<U>(~mask_of<U>(0, count));
          return static_cast<S>(value);
        }));
  }
  builtins.push_back(exact<T, T>("bit_reverse($0)", [](T x) {
    U reversed = 0;
    for (unsigned bit = 0; bit < kBits; ++bit)
      if (static_cast<U>(x) >> bit & 1) reversed |= static_cast<U>(U{1} << (kBits - 1 - bit));
    return reversed;
  }));
  for (const char* version : kVersions) check_builtins(builtins, version);
}

// A field whose place each work-item chooses for itself.
TEST(BitFields, PlacesThatVary) {
  constexpr size_t kCount = 33 * 33;
  Program program(
      "kernel void extract(global uint* out) { uint i = get_global_id(0), offset = i / 33;"
      "  uint count = min(i % 33, 32 - offset);"
      "  out[i] = bitfield_extract_unsigned(0x9e3779b9u, offset, count); }");
  Buffer<cl_uint> out(kCount);
  program.run("extract", {{kCount}}, out);
  const std::vector<cl_uint> got = out.read();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned offset = i / 33, count = std::min(i % 33, 32 - offset);
    const uint64_t wanted = (uint64_t{0x9e3779b9u} >> offset) & ((uint64_t{1} << count) - 1);
    ASSERT_EQ(wanted, got[i]) << offset << ", " << count;
  }
}

template <class A, class B, class R>
void check_dot(const char* a_type, const char* b_type, const char* suffix, const char* result) {
  const std::string packed = std::string("_4x8packed_") + suffix + "_" + result, vector_a = a_type,
                    vector_b = b_type;
  const std::string source =
      "kernel void dots(global " + vector_a + "* a, global " + vector_b + "* b, global " + result +
      "* sum, global " + result +
      "4* out) { size_t i = get_global_id(0); uint x = as_uint(a[i]), y = as_uint(b[i]);"
      " out[i] = (" +
      result + "4)(dot(a[i], b[i]), dot_acc_sat(a[i], b[i], sum[i]), dot" + packed +
      "(x, y), dot_acc_sat" + packed + "(x, y, sum[i])); }";
  constexpr size_t kCount = 1003;
  std::mt19937 random(1);
  std::vector<A> a(4 * kCount);
  std::vector<B> b(4 * kCount);
  std::vector<R> sum(kCount);
  for (A& value : a) value = static_cast<A>(random());
  for (B& value : b) value = static_cast<B>(random());
  // Sums near both limits, so that some saturate.
  for (size_t i = 0; i < kCount; ++i)
    sum[i] = static_cast<R>((i % 2 ? std::numeric_limits<R>::max() - random() % 30000
                                   : std::numeric_limits<R>::lowest() + random() % 30000));
  std::fill_n(a.begin(), 4, std::numeric_limits<A>::lowest());
  std::fill_n(b.begin(), 4, std::numeric_limits<B>::lowest());
  std::fill_n(a.begin() + 4, 4, std::numeric_limits<A>::max());
  std::fill_n(b.begin() + 4, 4, std::numeric_limits<B>::max());
  for (const char* version : kVersions) {
    Program program(source, version);
    Buffer<R> out(4 * kCount);
    program.run("dots", {{kCount}}, Buffer<A>(a), Buffer<B>(b), Buffer<R>(sum), out);
    const std::vector<R> got = out.read();
    for (size_t i = 0; i < kCount; ++i) {
      int64_t product = 0;
      for (size_t j = 4 * i; j < 4 * i + 4; ++j) product += int64_t{a[j]} * b[j];
      const int64_t saturated = std::clamp<int64_t>(
          product + sum[i], std::numeric_limits<R>::lowest(), std::numeric_limits<R>::max());
      ASSERT_EQ(product, got[4 * i]) << suffix << " of " << i;
      ASSERT_EQ(saturated, got[4 * i + 1]) << suffix << " of " << i;
      ASSERT_EQ(product, got[4 * i + 2]) << suffix << " of " << i;
      ASSERT_EQ(saturated, got[4 * i + 3]) << suffix << " of " << i;
    }
  }
}

TEST(DotProducts, AreThoseOfBytes) {
  check_dot<cl_uchar, cl_uchar, cl_uint>("uchar4", "uchar4", "uu", "uint");
  check_dot<cl_char, cl_char, cl_int>("char4", "char4", "ss", "int");
  check_dot<cl_uchar, cl_char, cl_int>("uchar4", "char4", "us", "int");
  check_dot<cl_char, cl_uchar, cl_int>("char4", "uchar4", "su", "int");
}

// The clock never goes back, and it goes on while a work-item works.
TEST(KernelClock, GoesOn) {
  for (const char* scope : {"device", "work_group", "sub_group"}) {
    Program program(std::string("kernel void time(global ulong2* out) {"
                                "  ulong before = clock_read_") +
                    scope +
                    "(), after = before; for (int i = 0; i < 1000000 && after == before; ++i)" +
                    "  after = clock_read_" + scope + "();" + "  uint2 halves = clock_read_hilo_" +
                    scope + "();" +
                    "  out[get_global_id(0)] = (ulong2)(after - before,"
                    "      ((ulong)halves.hi << 32 | halves.lo) - after); }");
    constexpr size_t kCount = 40;
    Buffer<cl_ulong> out(2 * kCount);
    program.run("time", {{kCount}}, out);
    constexpr cl_ulong kLong = cl_ulong{1} << 48;
    const std::vector<cl_ulong> got = out.read();
    for (size_t i = 0; i < kCount; ++i) {
      EXPECT_GT(got[2 * i], 0u) << scope;
      EXPECT_LT(got[2 * i], kLong) << scope;
      EXPECT_LT(got[2 * i + 1], kLong) << scope;
    }
  }
}

TEST(ExpectAssume, ChangeNoResult) {
  for (const char* version : kVersions) {
    Program program(
        "#if !defined(cl_khr_expect_assume) || !__has_builtin(__builtin_expect) || \\\n"
        "    !__has_builtin(__builtin_assume)\n#error no expect or assume\n#endif\n"
        "kernel void hints(global int* out, int n) { int i = get_global_id(0);"
        "  __builtin_assume(n > 0);"
        "  out[i] = __builtin_expect(i % n == 0, 0) ? -i : i; }",
        version);
    constexpr int kCount = 100;
    Buffer<cl_int> out(kCount);
    program.run("hints", {{kCount}}, out, cl_int{3});
    const std::vector<cl_int> got = out.read();
    for (int i = 0; i < kCount; ++i) EXPECT_EQ(i % 3 == 0 ? -i : i, got[i]);
  }
}

}  // namespace
}  // namespace conclave::test
