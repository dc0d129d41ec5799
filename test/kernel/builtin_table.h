// SPDX-License-Identifier: Apache-2.0
// Table-driven tests of builtins that work on each element of a vector: an expression in OpenCL C
// and a host function that must give the same for every element, checked for all vector widths on
// edge values and random ones.
#ifndef CONCLAVE_TEST_KERNEL_BUILTIN_TABLE_H_
#define CONCLAVE_TEST_KERNEL_BUILTIN_TABLE_H_

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "test/kernel/half.h"

namespace conclave::test {

// OpenCL C's name of a host type.
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, cl_char>) return "char";
  if constexpr (std::is_same_v<T, cl_uchar>) return "uchar";
  if constexpr (std::is_same_v<T, cl_short>) return "short";
  if constexpr (std::is_same_v<T, cl_ushort>) return "ushort";
  if constexpr (std::is_same_v<T, cl_int>) return "int";
  if constexpr (std::is_same_v<T, cl_uint>) return "uint";
  if constexpr (std::is_same_v<T, cl_long>) return "long";
  if constexpr (std::is_same_v<T, cl_ulong>) return "ulong";
  if constexpr (std::is_same_v<T, Half>) return "half";
  if constexpr (std::is_same_v<T, cl_float>) return "float";
  if constexpr (std::is_same_v<T, cl_double>) return "double";
}

// The elements of arguments and results, without their types.
struct Column {
  std::string type;
  size_t element_size = 0;
  std::vector<std::byte> bytes;
  size_t count() const { return bytes.size() / element_size; }
  const std::byte* at(size_t index) const { return bytes.data() + index * element_size; }
  std::byte* at(size_t index) { return bytes.data() + index * element_size; }
};

// `count` values of type T: zeros, limits, powers of two and their neighbours, infinities, NaN,
// then random ones. `seed` shifts the edge values, so that columns of different seeds pair them
// all.
template <class T>
std::vector<T> interesting_values(size_t count, unsigned seed);

// One builtin: an expression over arguments $0, $1, $2, where $N is the vector width ("" for
// scalars), and what it must be.
struct Builtin {
  std::string expression;
  std::string result_type;
  size_t result_size = 0;
  std::vector<std::function<Column(size_t, unsigned)>> arguments;  // make (count, seed)
  // Tells what is wrong with a result, or nothing: (arguments, result, is a vector).
  std::function<std::string(const std::vector<const std::byte*>&, const std::byte*, bool)> check;
};

// Compares results exactly; NaNs are equal.
template <class R>
std::string compare_exactly(R got, R wanted);
// Compares with an error of at most `limit` units in the last place of R around `wanted`. A zero or
// an overflow instead of a subnormal or huge number is an error of its size.
template <class R>
std::string compare_within(R got, long double wanted, double limit);

template <class T>
Column make_column(size_t count, unsigned seed) {
  std::vector<T> values = interesting_values<T>(count, seed);
  Column column{type_name<T>(), sizeof(T), std::vector<std::byte>(count * sizeof(T))};
  std::memcpy(column.bytes.data(), values.data(), column.bytes.size());
  return column;
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A builtin with arguments A... and result R, for which `judge(R got, A... arguments, bool vector)`
// says what is wrong.
template <class R, class... A, class Judge>
Builtin judged(std::string expression, Judge judge) {
  Builtin builtin{std::move(expression), type_name<R>(), sizeof(R), {make_column<A>...}, {}};
  builtin.check = [judge](const std::vector<const std::byte*>& arguments, const std::byte* result,
                          bool vector) {
    auto call = [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return judge(load<R>(result), load<A>(arguments[kIndex])..., vector);
    };
    return call(std::index_sequence_for<A...>());
  };
  return builtin;
}

// A builtin whose result must be exactly `reference(A...)`.
template <class R, class... A, class Reference>
Builtin exact(std::string expression, Reference reference) {
  return judged<R, A...>(std::move(expression), [reference](R got, A... arguments, bool) {
    return compare_exactly<R>(got, static_cast<R>(reference(arguments...)));
  });
}

// A builtin whose result may be `limit` ULP off `reference(long double...)`.
template <class R, class... A, class Reference>
Builtin within(std::string expression, double limit, Reference reference) {
  return judged<R, A...>(std::move(expression), [reference, limit](R got, A... arguments, bool) {
    return compare_within<R>(got, reference(arguments...), limit);
  });
}

// Builds one program of all builtins and checks each at widths 1, 2, 3, 4, 8 and 16; reports the
// first few differences of each as test failures.
void check_builtins(const std::vector<Builtin>& builtins, const std::string& options = "");

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_KERNEL_BUILTIN_TABLE_H_
