// SPDX-License-Identifier: Apache-2.0
// vloadN, vstoreN and the loads and stores of half (OpenCL C 6.15.7), and shuffle (6.15.13).
#include <gtest/gtest.h>

#include <CL/cl_half.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr int kVectorWidths[] = {2, 3, 4, 8, 16};
const char* const kTypes[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                              "long", "ulong", "half",  "float",  "double"};
constexpr char kHalf[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

std::string kernel_with(const std::string& name, const std::string& arguments,
                        const std::string& body) {
  return "kernel void " + name + "(" + arguments + ") {\n" + body + "}\n";
}

// Copies vectors through each address space: from global or constant memory into local memory, then
// into private memory, then out. The source begins at an odd element, so it is aligned to one only.
std::string copy_kernel(const std::string& type, int width, const std::string& source_space) {
  std::string n = std::to_string(width), name = "copy" + n + source_space;
  return kernel_with(name, source_space + " " + type + "* in, global " + type + "* out",
                     "  local " + type + " shared[64]; " + type + " own[64];\n" +
                         "  for (int i = 0; i < 3; ++i) vstore" + n + "(vload" + n +
                         "(i, in + 1), i, shared + 1);\n" + "  for (int i = 0; i < 3; ++i) vstore" +
                         n + "(vload" + n + "(i, shared + 1), i, own + 1);\n" +
                         "  for (int i = 0; i < 3; ++i) vstore" + n + "(vload" + n +
                         "(i, own + 1), i, out + 1);\n");
}

TEST(VectorData, LoadStore) {
  for (const std::string type : kTypes) {
    if (!tries(type)) continue;
    std::string source = kHalf;
    for (int width : kVectorWidths)
      source += copy_kernel(type, width, "global") + copy_kernel(type, width, "constant");
    Program program(source);
    for (int width : kVectorWidths)
      for (std::string space : {"global", "constant"}) {
        size_t element = type.find("char") != std::string::npos                  ? 1
                         : type.find("short") != std::string::npos               ? 2
                         : type == "half"                                        ? 2
                         : type == "long" || type == "ulong" || type == "double" ? 8
                                                                                 : 4;
        std::vector<cl_uchar> bytes(64 * element);
        std::iota(bytes.begin(), bytes.end(), cl_uchar{1});
        Buffer<cl_uchar> in(bytes), out(bytes.size());
        program.run(("copy" + std::to_string(width) + space).c_str(), {{1}, {1}}, in, out);
        std::vector<cl_uchar> expected(bytes.size());
        std::copy_n(bytes.begin() + element, 3 * width * element, expected.begin() + element);
        EXPECT_EQ(out.read(), expected) << type << width << " from " << space;
      }
  }
}

cl_half to_half(double x, const std::string& mode) {
  cl_half_rounding_mode rounding = mode == "_rtz"   ? CL_HALF_RTZ
                                   : mode == "_rtp" ? CL_HALF_RTP
                                   : mode == "_rtn" ? CL_HALF_RTN
                                                    : CL_HALF_RTE;
  return cl_half_from_double(x, rounding);
}

bool same_half(cl_half a, cl_half b) {
  auto is_nan = [](cl_half h) { return (h & 0x7fff) > 0x7c00; };
  return a == b || (is_nan(a) && is_nan(b));
}

// Values around every half, and what lies between and beyond them.
template <class T>
std::vector<T> values_around_halves() {
  std::vector<T> values = interesting_values<T>(960, 0);
  for (unsigned bits = 0; bits < 0x10000; bits += 7) {
    T value = static_cast<T>(cl_half_to_float(static_cast<cl_half>(bits)));
    T next = static_cast<T>(cl_half_to_float(static_cast<cl_half>(bits + 1)));
    T middle = (value + next) / 2;
    values.insert(values.end(), {value, middle, std::nextafter(middle, T(INFINITY)),
                                 std::nextafter(middle, -T(INFINITY))});
  }
  values.resize(values.size() / 48 * 48);
  return values;
}

template <class T>
void check_half_stores() {
  std::vector<T> values = values_around_halves<T>();
  std::string type = type_name<T>(), source;
  const std::string modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  for (const std::string& mode : modes) {
    std::string arguments = "global const " + type + "* in, global half* out";
    source +=
        kernel_with("store1" + mode, arguments,
                    "  size_t i = get_global_id(0); vstore_half" + mode + "(in[i], i, out);\n");
    for (int width : kVectorWidths) {
      std::string n = std::to_string(width);
      for (std::string form : {"", "a"})
        source += kernel_with("store" + form + n + mode, arguments,
                              "  size_t i = get_global_id(0); vstore" + form + "_half" + n + mode +
                                  "(vload" + n + "(i, in), i, out);\n");
    }
  }
  Program program(source);
  Buffer<T> in(values);
  auto check = [&](const std::string& kernel, const std::string& mode, int width, int stride) {
    Buffer<cl_half> out(values.size() / width * stride);
    program.run(kernel.c_str(), {{values.size() / width}}, in, out);
    std::vector<cl_half> results = out.read();
    int failures = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      cl_half got = results[i / width * stride + i % width], wanted = to_half(values[i], mode);
      if (!same_half(got, wanted) && failures++ < 3)
        ADD_FAILURE() << kernel << " of " << type << " " << values[i] << ": got 0x" << std::hex
                      << got << ", not 0x" << wanted;
    }
  };
  for (const std::string& mode : modes) {
    check("store1" + mode, mode, 1, 1);
    for (int width : kVectorWidths) {
      check("store" + std::to_string(width) + mode, mode, width, width);
      check("storea" + std::to_string(width) + mode, mode, width, width == 3 ? 4 : width);
    }
  }
}

TEST(VectorData, StoreHalfFromFloat) {
  check_half_stores<cl_float>();
}
TEST(VectorData, StoreHalfFromDouble) {
  check_half_stores<cl_double>();
}

// All 65,536 bit patterns, for every width.
TEST(VectorData, LoadHalf) {
  constexpr size_t kPadded = 65536 / 48 * 48;
  std::vector<cl_half> halves(65536);
  std::iota(halves.begin(), halves.end(), cl_half{0});
  std::string source = kernel_with("load1", "global const half* in, global float* out",
                                   "  size_t i = get_global_id(0); out[i] = vload_half(i, in);\n");
  for (int width : kVectorWidths) {
    std::string n = std::to_string(width);
    for (std::string form : {"", "a"})
      source += kernel_with("load" + form + n, "global const half* in, global float* out",
                            "  size_t i = get_global_id(0); vstore" + n + "(vload" + form +
                                "_half" + n + "(i, in), i, out);\n");
  }
  Program program(source);
  Buffer<cl_half> in(halves);
  auto check = [&](const std::string& kernel, int width, int stride) {
    size_t count = kPadded / (width * stride) * width;
    Buffer<cl_float> out(count);
    program.run(kernel.c_str(), {{count / width}}, in, out);
    std::vector<cl_float> results = out.read();
    int failures = 0;
    for (size_t i = 0; i < count; ++i) {
      cl_half half = halves[i / width * stride + i % width];
      float wanted = cl_half_to_float(half);
      if (!compare_exactly(results[i], wanted).empty() && failures++ < 3)
        ADD_FAILURE() << kernel << " of 0x" << std::hex << half << ": got " << results[i]
                      << ", not " << wanted;
    }
  };
  check("load1", 1, 1);
  for (int width : kVectorWidths) {
    check("load" + std::to_string(width), width, width);
    check("loada" + std::to_string(width), width, width == 3 ? 4 : width);
  }
}

// shuffle and shuffle2 with masks whose higher bits must be ignored, constant and not.
void check_shuffle(const std::string& type, const std::string& mask_type) {
  const int widths[] = {2, 4, 8, 16};
  auto text = [](int number) { return std::to_string(number); };
  std::string source = kHalf;
  for (int from : widths)
    for (int to : widths) {
      std::string in = "vload" + text(from), element = "vload" + text(to);
      source += kernel_with(
          "shuffle" + text(from) + "_" + text(to),
          "global const " + type + "* in, global const " + mask_type + "* mask, global " + type +
              "* out",
          "  " + type + text(from) + " x = " + in + "(0, in), y = " + in + "(1, in);\n  " +
              mask_type + text(to) + " m = " + element + "(0, mask);\n  vstore" + text(to) +
              "(shuffle(x, m), 0, out);\n  vstore" + text(to) + "(shuffle2(x, y, m), 1, out);\n");
    }
  Program program(source);
  // As bytes of a type-independent pattern: elements are numbered, masks count in odd steps.
  std::vector<cl_int> masks;
  for (int i = 0; i < 16; ++i) masks.push_back((i * 11 + 5) % 64);
  Program fill(kHalf + ("kernel void fill(global " + type + "* in, global " + mask_type +
                        "* mask, global const int* masks) {\n  size_t i = get_global_id(0);\n" +
                        "  in[i] = i; if (i < 16) mask[i] = masks[i];\n}\n" +
                        "kernel void widen(global const " + type + "* in, global int* out) {\n" +
                        "  size_t i = get_global_id(0); out[i] = (int)in[i];\n}\n"));
  Buffer<cl_ulong> in(32), mask(16), out(32);
  fill.run("fill", {{32}}, in, mask, Buffer<cl_int>(masks));
  for (int from : widths)
    for (int to : widths) {
      program.run(("shuffle" + text(from) + "_" + text(to)).c_str(), {{1}}, in, mask, out);
      Buffer<cl_int> wide(32);
      fill.run("widen", {{32}}, out, wide);
      std::vector<cl_int> results = wide.read();
      for (int i = 0; i < to; ++i) {
        EXPECT_EQ(results[i], masks[i] % from) << type << from << " to " << to << " element " << i;
        EXPECT_EQ(results[to + i], masks[i] % (2 * from))
            << "two " << type << from << " to " << to << " element " << i;
      }
    }
}

TEST(VectorData, Shuffle) {
  const std::pair<const char*, const char*> types[] = {
      {"char", "uchar"},  {"uchar", "uchar"},  {"short", "ushort"}, {"ushort", "ushort"},
      {"int", "uint"},    {"uint", "uint"},    {"float", "uint"},   {"long", "ulong"},
      {"ulong", "ulong"}, {"double", "ulong"}, {"half", "ushort"}};
  for (const auto& [type, mask] : types)
    if (tries(type)) check_shuffle(type, mask);
}

}  // namespace
}  // namespace conclave::test
