// SPDX-License-Identifier: Apache-2.0
// Kernels that are much larger than others, or that the vectorizer has no form for: they are built
// in bounded time (the tests' time limit) and compute what they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

constexpr unsigned kItems = 32;

std::string repeat(unsigned count, const std::function<std::string(unsigned)>& text) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += text(i);
  return all;
}

std::string number(unsigned value) {
  return std::to_string(value) + "u";
}

// A kernel with the body `x = ...`, `x` being a work-item's own number in `a`.
std::string kernel(const std::string& body, const std::string& before = "") {
  return before + "kernel void k(global uint* a, uint one) {\n  size_t i = get_global_id(0);\n" +
         "  uint x = a[i];\n" + body + "  a[i] = x;\n}\n";
}

// Runs it for the numbers 0, 3, 6, ...; returns the log.
std::string expect_results(const std::string& source, const std::function<uint32_t(uint32_t)>& f,
                           const std::string& options = "-v") {
  CompiledProgram program(source, options);
  std::vector<uint32_t> values(kItems), expected(kItems);
  for (uint32_t i = 0; i < kItems; ++i) {
    values[i] = 3 * i;
    expected[i] = f(3 * i);
  }
  program.run("k", Arguments().add(values.data()).add(uint32_t{1}), range1(kItems, 16));
  EXPECT_EQ(values, expected);
  return program.log();
}

void expect_remark(const std::string& log, const std::string& text) {
  EXPECT_NE(log.find("remark: kernel 'k': not vectorized: " + text), std::string::npos) << log;
}

TEST(HardKernels, HundredThousandLines) {
  constexpr unsigned kLines = 100'000;
  const std::string log = expect_results(
      kernel(repeat(
          kLines,
          [](unsigned i) { return "x = x * " + number(i % 7 + 1) + " ^ " + number(i) + ";\n"; })),
      [](uint32_t x) {
        for (unsigned i = 0; i < kLines; ++i) x = (x * (i % 7 + 1)) ^ i;
        return x;
      });
  expect_remark(log, "it is too large");
}

TEST(HardKernels, ThirtyThousandLinesOfBranches) {
  constexpr unsigned kBranches = 8'000;
  const std::string log = expect_results(
      kernel(repeat(kBranches,
                    [](unsigned i) {
                      return "if (x % " + number(i % 17 + 2) + " == 0u)\n  x += " + number(i) +
                             ";\nelse\n  a[i] = x ^= " + number(7 * i) + ";\n";
                    })),
      [](uint32_t x) {
        for (unsigned i = 0; i < kBranches; ++i)
          if (x % (i % 17 + 2) == 0)
            x += i;
          else
            x ^= 7 * i;
        return x;
      });
  expect_remark(log, "it ");
}

TEST(HardKernels, ChainOfDivergentBranches) {
  constexpr unsigned kBranches = 1'500;
  expect_results(kernel(repeat(kBranches,
                               [](unsigned i) {
                                 return "if (x & " + number(1u << i % 32) +
                                        ") { a[i] = x; x = x * 3u + " + number(i) + "; }\n";
                               })),
                 [](uint32_t x) {
                   for (unsigned i = 0; i < kBranches; ++i)
                     if (x & (1u << i % 32)) x = x * 3 + i;
                   return x;
                 });
}

TEST(HardKernels, DeepBranches) {
  constexpr unsigned kDepth = 200;
  expect_results(kernel(repeat(kDepth,
                               [](unsigned i) {
                                 return "if (x % 64u != " + number(i % 61) +
                                        ") { x += " + number(i % 5) + ";\n";
                               }) +
                        std::string(kDepth, '}') + "\n"),
                 [](uint32_t x) {
                   for (unsigned i = 0; i < kDepth && x % 64 != i % 61; ++i) x += i % 5;
                   return x;
                 });
}

// Loops over j0, j1, ... inside each other, each with one iteration.
std::string nest(unsigned depth) {
  return repeat(depth, [](unsigned i) {
    const std::string j = "j" + std::to_string(i);
    return "for (uint " + j + " = 0; " + j + " < one; ++" + j + ")\n";
  });
}

TEST(HardKernels, DeepLoops) {
  expect_results(kernel(nest(1'000) + "x = x * 3u + j0 + j999;\n"),
                 [](uint32_t x) { return x * 3; });
}

// Asking how often each loop is run, to load before it what it loads again and again, took minutes.
TEST(HardKernels, DeepLoopsThatLoadOnePlace) {
  expect_results(kernel(nest(400) + "x = x * 3u + j0 + (a[one] >> 31);\n"),
                 [](uint32_t x) { return x * 3; });
}

TEST(HardKernels, ThousandLoopsOfDifferentLength) {
  constexpr unsigned kLoops = 1'000;
  expect_results(kernel(repeat(kLoops,
                               [](unsigned i) {
                                 return "for (uint j = 0; j < (x & " + number(i % 3 + 1) +
                                        "); ++j) x = x * 3u + j;\n";
                               })),
                 [](uint32_t x) {
                   for (unsigned i = 0; i < kLoops; ++i)
                     for (uint32_t j = 0; j < (x & (i % 3 + 1)); ++j) x = x * 3 + j;
                   return x;
                 });
}

TEST(HardKernels, SwitchWithFiveThousandCases) {
  constexpr unsigned kCases = 5'000;
  expect_results(kernel("for (uint j = 0; j < 5u * one; ++j) switch (x % 5003u) {\n" +
                        repeat(kCases,
                               [](unsigned i) {
                                 return "case " + number(i) + ": x = x * " + number(2 * i + 3) +
                                        " + " + number(i) + "; a[i] = x;" +
                                        (i % 3 == 0 ? "\n" : " break;\n");
                               }) +
                        "}\n"),
                 [](uint32_t x) {
                   for (unsigned j = 0; j < 5; ++j)
                     for (unsigned i = x % 5003; i < kCases; ++i) {
                       x = x * (2 * i + 3) + i;
                       if (i % 3 != 0) break;
                     }
                   return x;
                 });
}

TEST(HardKernels, ManyBarriers) {
  constexpr unsigned kBarriers = 400;
  const std::string source =
      "kernel void k(global uint* a, uint one) {\n  local uint l[16];\n"
      "  size_t i = get_global_id(0), j = get_local_id(0);\n  uint x = a[i];\n" +
      repeat(kBarriers / 2,
             [](unsigned i) {
               return "l[j] = x; barrier(1); x += l[(j & 8) | ((j + " + number(i) +
                      ") & 7)] & 1u; barrier(1);\n";
             }) +
      "  a[i] = x;\n}\n";
  std::vector<uint32_t> values(16), expected(16);
  for (uint32_t i = 0; i < 16; ++i) values[i] = expected[i] = 3 * i;
  for (unsigned step = 0; step < kBarriers / 2; ++step) {
    const std::vector<uint32_t> l = expected;
    for (unsigned j = 0; j < 16; ++j) expected[j] += l[(j & 8) | ((j + step) & 7)] & 1;
  }
  CompiledProgram program(source);
  program.run("k", Arguments().add(values.data()).add(uint32_t{1}), range1(16, 16));
  EXPECT_EQ(values, expected);
}

TEST(HardKernels, CallsThatDoubleAtEachLevel) {
  constexpr unsigned kLevels = 20;
  const std::string functions = repeat(kLevels, [](unsigned i) {
    const std::string f = "f" + std::to_string(i), inner = i ? "f" + std::to_string(i - 1) : "";
    const std::string value =
        i ? "x & 1u ? " + inner + "(x >> 1, a) : " + inner + "(x + 3u, a) + a[0] * 0u" : "x * 5u";
    return "uint " + f + "(uint x, global uint* a) { return " + value + "; }\n";
  });
  const std::string log = expect_results(kernel("x = f19(x, a);\n", functions), [](uint32_t x) {
    for (unsigned i = 1; i < kLevels; ++i) x = x & 1 ? x >> 1 : x + 3;
    return x * 5;
  });
  expect_remark(log, "it is too large with what it calls");
}

// The ids are arguments of these functions: inlined, the lowest one would have 4^12 copies.
TEST(HardKernels, CallsThatDoubleOnTheWayToAnId) {
  constexpr unsigned kLevels = 12;
  const std::string functions =
      "uint f0(uint x, global uint* a) { return a[get_global_id(0)] + x * 3 + get_global_size(0); "
      "}\n" +
      repeat(kLevels, [](unsigned i) {
        const std::string call = "f" + std::to_string(i) + "(x", name = std::to_string(i + 1);
        return "__attribute__((noinline)) uint f" + name + "(uint x, global uint* a) {\n" +
               "  if (x & 1) return " + call + " + 1, a) ^ " + name + ";\n" +
               "  if (x & 2) return " + call + " + 5, a) + " + name + ";\n" + "  return x & 4 ? " +
               call + " / 2, a) : " + call + " * 3, a);\n}\n";
      });
  for (const char* options : {"-v", "-v -cl-conclave-first", "-v -cl-conclave-width=1"})
    expect_results(
        kernel("x = f12(x, a);\n", functions),
        [](uint32_t x) {
          const uint32_t own = x;
          const std::function<uint32_t(uint32_t, uint32_t)> f = [&](uint32_t level, uint32_t y) {
            if (level == 0) return own + y * 3 + kItems;
            if (y & 1) return f(level - 1, y + 1) ^ level;
            if (y & 2) return f(level - 1, y + 5) + level;
            return y & 4 ? f(level - 1, y / 2) : f(level - 1, y * 3);
          };
          return f(kLevels, x);
        },
        options);
}

TEST(HardKernels, WideVectors) {
  constexpr unsigned kLines = 300;
  expect_results(kernel("uint16 v = x + (uint16)(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15);\n" +
                        repeat(kLines,
                               [](unsigned i) {
                                 return "v = v * v.sfedcba9876543210 + " + number(i) +
                                        "; if (v.s3 & 1u) v = v.s1032547698badcfe;\n";
                               }) +
                        "x = v.s0 ^ v.s7;\n"),
                 [](uint32_t x) {
                   std::array<uint32_t, 16> v, before;
                   for (unsigned i = 0; i < 16; ++i) v[i] = x + i;
                   for (unsigned line = 0; line < kLines; ++line) {
                     before = v;
                     for (unsigned i = 0; i < 16; ++i) v[i] = before[i] * before[15 - i] + line;
                     before = v;
                     if (v[3] & 1)
                       for (unsigned i = 0; i < 16; ++i) v[i] = before[i ^ 1];
                   }
                   return v[0] ^ v[7];
                 });
}

TEST(HardKernels, LargePrivateArray) {
  const std::string log = expect_results(
      kernel("uint p[100000]; for (uint j = 0; j < 100000u; ++j) p[j] = j * x; x = p[x * 7u];\n"),
      [](uint32_t x) { return x * 7 * x; });
  expect_remark(log, "its private arrays are too large");
}

TEST(HardKernels, InlineAssembly) {
  const std::string log =
      expect_results(kernel("if (x & 1u) __asm__(\"addl $1, %0\" : \"+r\"(x));\n"),
                     [](uint32_t x) { return x + (x & 1); });
  EXPECT_NE(log.find("program.cl:4:13: remark: kernel 'k': inline assembly: lane by lane"),
            std::string::npos)
      << log;
}

TEST(HardKernels, BarrierThatNotAllReach) {
  // Its result is undefined, but not that it ends. What all reach is not.
  const std::string source = kernel("if (x & 1u) barrier(1); else x += 3u;\n");
  CompiledProgram program(source, "-v");
  EXPECT_EQ(program.log().find("not vectorized"), std::string::npos) << program.log();
  std::vector<uint32_t> values(kItems);
  std::iota(values.begin(), values.end(), 0u);
  program.run("k", Arguments().add(values.data()).add(uint32_t{1}), range1(kItems, 16));
  std::fill(values.begin(), values.end(), 5u);
  program.run("k", Arguments().add(values.data()).add(uint32_t{1}), range1(kItems, 16));
  EXPECT_EQ(values, std::vector<uint32_t>(kItems, 5u));
  std::fill(values.begin(), values.end(), 4u);
  program.run("k", Arguments().add(values.data()).add(uint32_t{1}), range1(kItems, 16));
  EXPECT_EQ(values, std::vector<uint32_t>(kItems, 7u));
}

TEST(HardKernels, JumpIntoALoop) {
  expect_results(kernel("if (x & 1u) goto middle;\nstart: x += 3u; if (x > 100u) goto end;\n"
                        "middle: x *= 2u; if (x < 1000u) goto start;\nend:;\n"),
                 [](uint32_t x) {
                   for (bool at_middle = x & 1;; at_middle = false) {
                     if (!at_middle && (x += 3) > 100) return x;
                     if ((x *= 2) >= 1000) return x;
                   }
                 });
}

// LLVM 19's optimiser makes one address of those of the lanes, which all read what the first one does.
TEST(HardKernels, LanesThatReadOnePlaceInALoop) {
  CompiledProgram program(R"(
    typedef struct { short first; uchar second; } Record;
    kernel void k(global const Record* records, global double16* out, int n) {
      const long id = get_global_linear_id();
      double16 kept[8];
      for (int i = 0; i < 8; ++i) kept[i] = 7;
      if ((~get_group_id(2) & 5) != 0)
        for (int i = 0; i < (n & 7); ++i)
          if ((get_local_id(0) & 3) == 0)
            kept[7] = (double16)(records[id * 4 + 3].first <= 0 ? 1 : records[id * 4].second);
      out[id] = kept[n & 7];
    })",
                          "-cl-std=CL2.0 -cl-conclave-width=4");
  struct Record {
    int16_t first;
    uint8_t second;
  };
  std::vector<Record> records(4 * kItems, Record{5, 9});
  struct alignas(128) Numbers {
    double all[16];
  };
  std::vector<Numbers> out(kItems);
  program.run("k", Arguments().add(records.data()).add(out.data()).add(int32_t{7}),
              range1(kItems, 16));
  for (unsigned i = 0; i < kItems; ++i) EXPECT_EQ(out[i].all[3], i % 4 == 0 ? 9 : 7) << i;
}

// LLVM 19's loop vectorizer, for which work-items are iterations, moves strided accesses past others.
TEST(HardKernels, AccessesOfAWorkItemKeepTheirOrder) {
  CompiledProgram program(R"(
    kernel void stores(global uint* a, global const uint* at) {
      const size_t i = get_global_id(0);
      a[2 * i] = 1;
      const uint x = a[at[i]];
      a[2 * i + 1] = x + 10;
    }
    kernel void loads(global uint* a, global const uint* at) {
      const size_t i = get_global_id(0);
      const uint x = a[2 * i];
      a[at[i]] = x + 1;
      a[at[i] + 2 * kItems] = a[2 * i + 1];
    })",
                          "-cl-conclave-width=1 -DkItems=" + std::to_string(kItems));
  const auto run = [&](const std::string& kernel, unsigned other) {
    std::vector<uint32_t> a(4 * kItems, 0), at(kItems);
    for (unsigned i = 0; i < kItems; ++i) at[i] = 2 * i + other;
    program.run(kernel, Arguments().add(a.data()).add(at.data()), range1(kItems, kItems));
    return a;
  };
  const std::vector<uint32_t> stored = run("stores", 0), loaded = run("loads", 1);
  for (unsigned i = 0; i < kItems; ++i) {
    EXPECT_EQ(stored[2 * i + 1], 11u) << i;
    EXPECT_EQ(loaded[2 * i + 1 + 2 * kItems], 1u) << i;
  }
}

// Several work-items may set one flag: those that do not must leave it alone.
TEST(HardKernels, FlagsThatWorkItemsShare) {
  CompiledProgram program(R"(
    kernel void k(global const uint* in, global uint* out) {
      local uint calm, calm_pairs[64];
      const uint l = get_local_id(0);
      if (l == 0) calm = 1;
      calm_pairs[l] = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      const bool is_loud = in[get_global_id(0)] > 100;
      if (calm && is_loud) calm = 0;
      if (calm_pairs[l / 2] && is_loud) calm_pairs[l / 2] = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = 2 * calm + calm_pairs[l / 2];
    })");
  constexpr unsigned kVoters = 128;
  std::vector<uint32_t> in(kVoters, 0), out(kVoters);
  in[0] = in[36] = 101;
  program.run("k", Arguments().add(in.data()).add(out.data()), range1(kVoters, 32));
  for (unsigned i = 0; i < kVoters; ++i)
    EXPECT_EQ(out[i], (i < 64 ? 0u : 2u) + (i / 2 == 0 || i / 2 == 18 ? 0u : 1u)) << i;
}

// What OpenCL C does not have is refused with the place.
TEST(HardKernels, PointersToFunctionsAreRefused) {
  const std::string functions = "uint f(uint x) { return x; }\nuint g(uint x) { return 2u * x; }\n";
  protocol::Response response =
      build(kernel("uint (*p)(uint) = x & 1u ? f : g; x = p(x);\n", functions));
  EXPECT_EQ(response.status, protocol::Status::kFailure);
  EXPECT_NE(response.log.find("program.cl:6:7: error: pointers to functions are not allowed"),
            std::string::npos)
      << response.log;
}

// LLVM would divide numbers of 128 bits to count with the quotients, by a function that there is not.
TEST(HardKernels, MultipliesQuotientsToLongProducts) {
  CompiledProgram program(R"(
kernel void k(global const ulong* a, global const float* x, global float* out) {
  size_t g = get_global_id(0);
  if ((mad_hi(a[g], 358926744179139706ul / ((g & 15) + 1), g) & 3) == 1)
    out[((g * 37) & 511) * 4] = x[g];
})",
                          "");
  std::vector<uint64_t> a(kItems);
  std::vector<float> x(kItems), out(2048), expected(2048);
  for (uint64_t g = 0; g < kItems; ++g) {
    a[g] = g << 58 | 0x123456789abcdefu;
    x[g] = static_cast<float>(g + 1);
    const uint64_t quotient = 358926744179139706u / ((g & 15) + 1);
    const auto product =
        static_cast<uint64_t>(static_cast<unsigned __int128>(a[g]) * quotient >> 64);
    if (((product + g) & 3) == 1) expected[((g * 37) & 511) * 4] = x[g];
  }
  program.run("k", Arguments().add(a.data()).add(x.data()).add(out.data()), range1(kItems, 16));
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace conclave::test
