// SPDX-License-Identifier: Apache-2.0
#include "test/kernel/builtin_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <sstream>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Through SPIR-V, the names of functions are made by the same rule for all widths, so that a few show
// that it is right.
std::span<const int> widths() {
  static constexpr int kAll[] = {1, 2, 3, 4, 8, 16}, kSome[] = {1, 3, 8};
  if (from_spirv()) return kSome;
  return kAll;
}
constexpr size_t kBlock = 48;  // elements of one work-item: a multiple of every width
constexpr size_t kBlocks = 40;
constexpr size_t kCount = kBlock * kBlocks;
constexpr int kReported = 3;

template <class T>
std::vector<T> edge_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), T(2), T(3), T(10), T(100), Limits::max(), Limits::lowest()};
  if constexpr (kIsReal<T>) {
    for (double v : {-0.0,
                     -1.0,
                     -2.0,
                     -3.0,
                     0.5,
                     -0.5,
                     1.5,
                     -1.5,
                     2.5,
                     0.25,
                     1e-10,
                     1e10,
                     3.14159265,
                     1.57079633,
                     127.5,
                     128.5,
                     -128.5,
                     255.5,
                     32767.5,
                     65535.5,
                     2147483647.5,
                     4294967295.5,
                     9.2233720368547758e18,
                     1.8446744073709552e19,
                     88.5,
                     -104.0,
                     710.0,
                     -750.0,
                     16777216.0,
                     9007199254740992.0})
      values.push_back(static_cast<T>(v));
    for (T v : {Limits::infinity(), T(-Limits::infinity()), Limits::quiet_NaN(), Limits::min(),
                T(-Limits::min()), Limits::denorm_min(), T(-Limits::denorm_min()),
                Limits::epsilon(), T(1 - Limits::epsilon() / 2), T(1 + Limits::epsilon()),
                T(2147483648.0 * (1 - Limits::epsilon() / 2)), T(0.5 - Limits::epsilon() / 4)})
      values.push_back(v);
  } else {
    values.insert(values.end(), {T(-1), T(-2), T(Limits::max() - 1), T(Limits::lowest() + 1)});
    for (int bit : {3, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 62, 63})
      if (bit < static_cast<int>(sizeof(T)) * 8)
        for (int delta : {-1, 0, 1}) {
          T power = static_cast<T>(uint64_t{1} << bit);
          values.push_back(static_cast<T>(power + delta));
          values.push_back(static_cast<T>(-power + delta));
        }
  }
  return values;
}

template <class T>
T random_value(std::mt19937_64& random) {
  uint64_t bits = random();
  if constexpr (std::is_same_v<T, Half>) {
    const Half value = half_of_bits(static_cast<cl_half>(bits));
    return std::isnan(value) ? std::numeric_limits<Half>::quiet_NaN() : value;
  } else if constexpr (std::is_floating_point_v<T>) {
    // Half of them are in the whole range, half are of moderate size.
    if (random() % 2 == 0)
      return static_cast<T>(static_cast<int64_t>(bits) * std::ldexp(1.0, -40 - int(random() % 24)));
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    T value = std::bit_cast<T>(static_cast<Bits>(bits));
    // What functions make of a signalling NaN is open.
    return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
  } else {
    return static_cast<T>(bits >> random() % (sizeof(T) * 8));
  }
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string vector_load(size_t argument, int width) {
  std::string name = "a" + std::to_string(argument);
  if (width == 1) return name + "[j]";
  return "vload" + std::to_string(width) + "(j, " + name + ")";
}

// A kernel that evaluates the builtin at each width; results of width number w begin at w * kCount.
std::string kernel_source(const Builtin& builtin, const std::vector<Column>& columns,
                          size_t number) {
  std::ostringstream text;
  text << "kernel void k" << number << "(";
  for (size_t i = 0; i < columns.size(); ++i)
    text << "global const " << columns[i].type << "* a" << i << ", ";
  text << "global " << builtin.result_type << "* out) {\n";
  for (int width : widths()) {
    std::string suffix = width == 1 ? "" : std::to_string(width);
    std::string call = replace_all(builtin.expression, "$N", suffix);
    for (size_t i = 0; i < columns.size(); ++i)
      call = replace_all(call, "$" + std::to_string(i), vector_load(i, width));
    text << "  #pragma clang loop unroll(disable) vectorize(disable)\n  for (size_t j = "
            "get_global_id(0) * "
         << kBlock / width << ", end = j + " << kBlock / width << "; j < end; ++j) {\n    "
         << builtin.result_type << suffix << " r = " << call << ";\n    ";
    if (width == 1)
      text << "out[j] = r;\n";
    else
      text << "vstore" << width << "(r, j, out);\n";
    text << "  }\n  out += " << kCount << ";\n";
  }
  text << "}\n";
  return text.str();
}

std::string describe(const std::vector<const std::byte*>& arguments,
                     const std::vector<Column>& columns) {
  std::ostringstream text;
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, arguments[i], columns[i].element_size);
    text << (i == 0 ? "" : ", ") << columns[i].type << " 0x" << std::hex << bits << std::dec;
    if (columns[i].type == "half") text << " (" << load<Half>(arguments[i]) << ")";
    if (columns[i].type == "float") text << " (" << load<float>(arguments[i]) << ")";
    if (columns[i].type == "double") text << " (" << load<double>(arguments[i]) << ")";
  }
  return text.str();
}

void check_results(const Builtin& builtin, const std::vector<Column>& columns,
                   const std::vector<std::byte>& results) {
  int failures = 0;
  for (size_t w = 0; w < widths().size(); ++w)
    for (size_t i = 0; i < kCount; ++i) {
      std::vector<const std::byte*> arguments;
      for (const Column& column : columns) arguments.push_back(column.at(i));
      const std::byte* result = results.data() + (w * kCount + i) * builtin.result_size;
      std::string wrong = builtin.check(arguments, result, widths()[w] > 1);
      if (wrong.empty() || failures++ >= kReported) continue;
      ADD_FAILURE() << builtin.expression << " at width " << widths()[w] << " of "
                    << describe(arguments, columns) << ": " << wrong;
    }
  if (failures > kReported)
    ADD_FAILURE() << builtin.expression << ": " << failures << " wrong results in all";
}

void run_and_check(const Program& program, const Builtin& builtin,
                   const std::vector<Column>& columns, size_t number) {
  Buffer<std::byte> out(builtin.result_size * kCount * widths().size());
  std::vector<Buffer<std::byte>> in;
  for (const Column& column : columns) in.emplace_back(column.bytes);
  std::string name = "k" + std::to_string(number);
  Range range{{kBlocks}};
  switch (in.size()) {
    case 1:
      program.run(name.c_str(), range, in[0], out);
      break;
    case 2:
      program.run(name.c_str(), range, in[0], in[1], out);
      break;
    default:
      program.run(name.c_str(), range, in.at(0), in.at(1), in.at(2), out);
  }
  check_results(builtin, columns, out.read());
}

// Units in the last place of R at magnitude `value`.
template <class R>
long double unit_at(long double value) {
  int exponent = std::numeric_limits<R>::min_exponent;
  if (value != 0 && std::isfinite(value)) {
    int own;
    std::frexp(value, &own);
    exponent = std::max(exponent, own);
  }
  return std::ldexp(1.0L, exponent - std::numeric_limits<R>::digits);
}

template <class R>
std::string difference(R got, long double wanted) {
  std::ostringstream text;
  text.precision(20);
  if constexpr (sizeof(R) == 1)
    text << "got " << static_cast<int>(got);
  else
    text << "got " << got;
  text << ", not " << wanted;
  return text.str();
}

}  // namespace

template <class T>
std::vector<T> interesting_values(size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> edges = edge_values<T>(), values;
  // Column 0 repeats each edge value, the others run through them at other speeds.
  size_t edge_count = count * 3 / 4;
  for (size_t i = 0; i < edge_count; ++i)
    values.push_back(seed == 0 ? edges[i * edges.size() / edge_count]
                               : edges[i * seed % edges.size()]);
  while (values.size() < count) values.push_back(random_value<T>(random));
  return values;
}

template <class R>
std::string compare_exactly(R got, R wanted) {
  if constexpr (kIsReal<R>) {
    if (std::isnan(got) && std::isnan(wanted)) return "";
    if (got == wanted && std::signbit(got) == std::signbit(wanted)) return "";
  } else {
    if (got == wanted) return "";
  }
  return difference(got, wanted);
}

template <class R>
std::string compare_within(R got, long double wanted, double limit) {
  using Limits = std::numeric_limits<R>;
  if (std::isnan(wanted)) return std::isnan(got) ? "" : difference(got, wanted);
  if (got == static_cast<R>(wanted)) return "";
  const long double overflow = std::ldexp(1.0L, Limits::max_exponent);
  auto clamped = [&](long double v) { return std::fmin(std::fmax(v, -overflow), overflow); };
  long double error = std::fabs(clamped(got) - clamped(wanted)) / unit_at<R>(clamped(wanted));
  if (error <= limit) return "";
  return difference(got, wanted) + ": " + std::to_string(static_cast<double>(error)) + " ULP";
}

void check_builtins(const std::vector<Builtin>& builtins, const std::string& options) {
  std::vector<std::vector<Column>> columns;
  std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  for (size_t number = 0; number < builtins.size(); ++number) {
    std::vector<Column>& own = columns.emplace_back();
    const unsigned seeds[] = {0, 1, 7};
    for (size_t i = 0; i < builtins[number].arguments.size(); ++i)
      own.push_back(builtins[number].arguments[i](kCount, seeds[i]));
    source += kernel_source(builtins[number], own, number);
  }
  Program program(source, options);
  for (size_t number = 0; number < builtins.size(); ++number)
    run_and_check(program, builtins[number], columns[number], number);
}

#define INSTANTIATE(T)                                             \
  template std::vector<T> interesting_values<T>(size_t, unsigned); \
  template std::string compare_exactly<T>(T, T);                   \
  template std::string compare_within<T>(T, long double, double);
INSTANTIATE(cl_char)
INSTANTIATE(cl_uchar)
INSTANTIATE(cl_short)
INSTANTIATE(cl_ushort)
INSTANTIATE(cl_int)
INSTANTIATE(cl_uint)
INSTANTIATE(cl_long)
INSTANTIATE(cl_ulong)
INSTANTIATE(Half)
INSTANTIATE(cl_float)
INSTANTIATE(cl_double)
#undef INSTANTIATE

}  // namespace conclave::test
