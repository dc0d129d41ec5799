// SPDX-License-Identifier: Apache-2.0
// Relational functions (OpenCL C 6.15.6) for every type and width.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

template <class T>
class RelationalBuiltins : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(RelationalBuiltins, RealTypes);

// The result type for vectors of T; scalars give int, which converts without change.
template <class T>
using Truth = std::conditional_t<sizeof(T) == 2, cl_short,
                                 std::conditional_t<sizeof(T) == 4, cl_int, cl_long>>;

std::string wrong_truth(cl_long got, bool expected, bool vector) {
  cl_long wanted = !expected ? 0 : vector ? -1 : 1;
  return got == wanted ? "" : "got " + std::to_string(got) + ", not " + std::to_string(wanted);
}

template <class T, class Predicate>
Builtin relation(const std::string& name, Predicate predicate) {
  return judged<Truth<T>, T, T>(name + "($0, $1)", [predicate](auto got, T x, T y, bool vector) {
    return wrong_truth(got, predicate(x, y), vector);
  });
}

template <class T, class Predicate>
Builtin property(const std::string& name, Predicate predicate) {
  return judged<Truth<T>, T>(name + "($0)", [predicate](auto got, T x, bool vector) {
    return wrong_truth(got, predicate(x), vector);
  });
}

TYPED_TEST(RelationalBuiltins, Comparisons) {
  using T = TypeParam;
  check_builtins({
      relation<T>("isequal", [](T x, T y) { return x == y; }),
      relation<T>("isnotequal", [](T x, T y) { return x != y; }),
      relation<T>("isgreater", [](T x, T y) { return x > y; }),
      relation<T>("isgreaterequal", [](T x, T y) { return x >= y; }),
      relation<T>("isless", [](T x, T y) { return x < y; }),
      relation<T>("islessequal", [](T x, T y) { return x <= y; }),
      relation<T>("islessgreater", [](T x, T y) { return x < y || x > y; }),
      relation<T>("isordered", [](T x, T y) { return !std::isnan(x) && !std::isnan(y); }),
      relation<T>("isunordered", [](T x, T y) { return std::isnan(x) || std::isnan(y); }),
  });
}

TYPED_TEST(RelationalBuiltins, Properties) {
  using T = TypeParam;
  check_builtins({
      property<T>("isfinite", [](T x) { return std::isfinite(x); }),
      property<T>("isinf", [](T x) { return std::isinf(x); }),
      property<T>("isnan", [](T x) { return std::isnan(x); }),
      property<T>(
          "isnormal",
          [](T x) { return std::isfinite(x) && std::fabs(x) >= std::numeric_limits<T>::min(); }),
      property<T>("signbit", [](T x) { return std::signbit(x); }),
  });
}

template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 1, cl_uchar,
                       std::conditional_t<sizeof(T) == 2, cl_ushort,
                                          std::conditional_t<sizeof(T) == 4, cl_uint, cl_ulong>>>;

template <class T>
std::string wrong_bits(T got, Bits<T> wanted) {
  return std::bit_cast<Bits<T>>(got) == wanted ? "" : "wrong bits";
}

// Vectors select by the highest bit of each element, scalars by not being zero. Conditions are made
// of T's bits, so that they are of the right size.
template <class T>
void check_selection() {
  using B = Bits<T>;
  using S = std::make_signed_t<B>;
  auto select = [](T got, T a, T b, auto c, bool vector) {
    bool second = vector ? static_cast<S>(c) < 0 : c != 0;
    return wrong_bits(got, std::bit_cast<B>(second ? b : a));
  };
  check_builtins({
      judged<T, T, T, S>("select($0, $1, $2)", select),
      judged<T, T, T, B>("select($0, $1, $2)", select),
      judged<T, T, T, T>("bitselect($0, $1, $2)",
                         [](T got, T a, T b, T c, bool) {
                           B mask = std::bit_cast<B>(c);
                           return wrong_bits<T>(got, (std::bit_cast<B>(a) & static_cast<B>(~mask)) |
                                                         (std::bit_cast<B>(b) & mask));
                         }),
  });
}

TEST(RelationalBuiltins, SelectChar) {
  check_selection<cl_char>();
}
TEST(RelationalBuiltins, SelectUchar) {
  check_selection<cl_uchar>();
}
TEST(RelationalBuiltins, SelectShort) {
  check_selection<cl_short>();
}
TEST(RelationalBuiltins, SelectUshort) {
  check_selection<cl_ushort>();
}
TEST(RelationalBuiltins, SelectInt) {
  check_selection<cl_int>();
}
TEST(RelationalBuiltins, SelectUint) {
  check_selection<cl_uint>();
}
TEST(RelationalBuiltins, SelectLong) {
  check_selection<cl_long>();
}
TEST(RelationalBuiltins, SelectUlong) {
  check_selection<cl_ulong>();
}
TEST(RelationalBuiltins, SelectHalf) {
  check_selection<Half>();
}
TEST(RelationalBuiltins, SelectFloat) {
  check_selection<cl_float>();
}
TEST(RelationalBuiltins, SelectDouble) {
  check_selection<cl_double>();
}

// any and all look at the highest bits of all elements; `bits` sets them element by element.
void check_any_all(const std::string& type, int width) {
  std::string vector = type + (width == 1 ? "" : std::to_string(width));
  std::string load = width == 1 ? "in[i]" : "vload" + std::to_string(width) + "(i, in)";
  Program program("kernel void k(global const " + type + "* in, global int* out) {\n" +
                  "  size_t i = get_global_id(0);\n  " + vector + " x = " + load + ";\n" +
                  "  out[2 * i] = any(x);\n  out[2 * i + 1] = all(x);\n}\n" +
                  "kernel void fill(global const uint* bits, global " + type + "* in) {\n" +
                  "  size_t i = get_global_id(0);\n" + "  for (int e = 0; e < " +
                  std::to_string(width) + "; ++e)\n" + "    in[i * " + std::to_string(width) +
                  " + e] = bits[i] >> e & 1 ? -1 - e : e;\n}\n");
  std::vector<cl_uint> bits;
  for (cl_uint pattern : {0u, 1u, 2u, 3u, 0x8000u, 0xfffeu, 0xffffu, 0x5555u, 0x00ffu, 0xfu, 0x7u})
    bits.push_back(pattern & ((1u << width) - 1));
  Buffer<cl_uint> pattern_buffer(bits);
  Buffer<cl_long> in(bits.size() * width);  // large enough for every type
  Buffer<cl_int> out(bits.size() * 2);
  program.run("fill", {{bits.size()}}, pattern_buffer, in);
  program.run("k", {{bits.size()}}, in, out);
  std::vector<cl_int> results = out.read();
  for (size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(results[2 * i], bits[i] != 0) << vector << " any of " << bits[i];
    EXPECT_EQ(results[2 * i + 1], bits[i] == (1u << width) - 1) << vector << " all of " << bits[i];
  }
}

TEST(RelationalBuiltins, AnyAll) {
  for (const char* type : {"char", "short", "int", "long"})
    for (int width : {1, 2, 3, 4, 8, 16})
      if (tries(type)) check_any_all(type, width);
}

}  // namespace
}  // namespace conclave::test
