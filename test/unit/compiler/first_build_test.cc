// SPDX-License-Identifier: Apache-2.0
// Builds in several processes, and first builds: what they share out, leave out, and tell of it.
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "test/unit/compiler/compile_server.h"
#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

using protocol::Action;
using protocol::Request;
using protocol::Response;
using protocol::Status;

// The compiler of this process has its CPUs.
bool can_share_out() {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1;
}
constexpr char kSharedOut[] = " -cl-conclave-tune=fork_instructions=0,code_processes=4";

// Two work-items are left over from packets, and sines of large numbers have a function of their own.
TEST(Build, SharesOutOneKernel) {
  if (!can_share_out()) GTEST_SKIP() << "one CPU";
  CompiledProgram program(
      "kernel void k(global const float* in, global float* out) {\n"
      "  const size_t i = get_global_id(0);\n"
      "  out[i] = sin(in[i]);\n"
      "}\n",
      kSharedOut);
  constexpr size_t kCount = 66;
  std::vector<float> in(kCount), out(kCount);
  for (size_t i = 0; i < kCount; ++i) in[i] = (i % 3 == 0 ? 1e10f : 1.0f) + static_cast<float>(i);
  program.run("k", Arguments().add(in.data()).add(out.data()), range1(kCount, kCount));
  for (size_t i = 0; i < kCount; ++i) EXPECT_NEAR(out[i], std::sin(in[i]), 1e-6f) << i;
  // Functions that other processes have compiled.
  for (const char* name : {"outlined.k.region.0.items.x", "outlined._Z21__conclave_large_sinefm.x"})
    EXPECT_TRUE(contains(program.binary(), name)) << name;
}

// Each process makes the packets of its own kernels, so it shows none of its functions to the others. The
// build tells of all kernels in the program's order.
TEST(FirstBuild, SharesOutKernels) {
  if (!can_share_out()) GTEST_SKIP() << "one CPU";
  const auto source_of = [](int kernels) {
    std::string source = "float curve(float x) { return exp(x) + sin(x); }\n";
    for (int k = 0; k < kernels; ++k)
      source += "kernel void k" + std::to_string(k) + "(global float* a" +
                std::string(k % 3 == 2 ? ", local float* t" : "") + ") {\n" +
                "  const size_t i = get_global_id(0), l = get_local_id(0);\n" +
                (k % 3 == 2 ? "  t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l ^ 1] + "
                            : "  a[i] = curve(a[i]) + ") +
                std::to_string(k) + ";\n}\n";
    return source;
  };
  constexpr int kKernels = 7;
  constexpr size_t kCount = 38;  // packets, and work-items that they leave over
  const std::string options =
      "-cl-conclave-first -cl-conclave-tune=fork_instructions=0,code_processes=";
  CompiledProgram shared(source_of(kKernels), options + "2"),
      alone(source_of(kKernels), options + "1");
  EXPECT_FALSE(contains(shared.binary(), "outlined."));
  EXPECT_EQ(shared.metadata()["kernels"], alone.metadata()["kernels"]);
  for (int k = 0; k < kKernels; ++k) {
    const std::string name = "k" + std::to_string(k);
    EXPECT_EQ(shared.kernel_metadata(name), alone.kernel_metadata(name)) << name;
    std::vector<float> of_shared(kCount), of_alone;
    for (size_t i = 0; i < kCount; ++i) of_shared[i] = 0.1f * static_cast<float>(i);
    of_alone = of_shared;
    for (auto [program, values] : {std::pair(&shared, &of_shared), std::pair(&alone, &of_alone)}) {
      Arguments arguments;
      arguments.add(values->data());
      if (k % 3 == 2) arguments.add(LocalBytes{kCount * sizeof(float)});
      program->run(name, arguments, range1(kCount, kCount));
    }
    EXPECT_EQ(of_shared, of_alone) << name;
    EXPECT_NE(of_shared[1], 0.1f) << name;
  }
  // One that cannot run is told of alike.
  const std::string large = source_of(kKernels) +
                            "kernel void large(global int* a, int i) {"
                            "  int own[100000000]; own[a[i]] = i; a[0] = own[a[1]]; }";
  const std::string log = build(large, options + "2").log;
  EXPECT_TRUE(contains(log, "warning: kernel 'large' cannot run: ")) << log;
  EXPECT_EQ(log, build(large, options + "1").log);
  // What is wrong in one part does not hide what is wrong in others.
  std::string wrong = source_of(kKernels);
  for (const char* name : {"one", "two"}) {
    const std::string missing = "missing_" + std::string(name);
    wrong += "float " + missing + "(float x);\nkernel void " + name +
             "(global float* a) { *a = " + missing + "(*a); }\n";
  }
  const std::string errors = build(wrong, options + "2").log;
  for (const char* missing : {"missing_one", "missing_two"})
    EXPECT_TRUE(contains(errors, missing)) << errors;
  // Too few kernels for each process: their functions are shared out later.
  CompiledProgram few(source_of(2), options + "2");
  EXPECT_TRUE(contains(few.binary(), "outlined."));
}

// A constant has one address, whichever process has compiled the function that looks at it.
TEST(Build, SharesOutConstants) {
  for (const char* options : {"", "-cl-opt-disable"}) {
    CompiledProgram program(
        "constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
        "__attribute__((noinline)) int position(constant int* p) { return p - table; }\n"
        "__attribute__((noinline)) constant int* place(int i) { return table + i % 8; }\n"
        "kernel void k(global int* out) {\n"
        "  const int i = get_global_id(0);\n"
        "  out[i] = position(place(i)) * 10 + table[i % 8] + position(table + out[i]);\n"
        "}\n"
        "kernel void other(global int* out) { *out = position(place(5)); }\n",
        options + std::string(kSharedOut));
    constexpr size_t kCount = 35;
    constexpr int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    std::vector<int> out(kCount, 0);
    program.run("k", Arguments().add(out.data()), range1(kCount, kCount));
    for (size_t i = 0; i < kCount; ++i)
      EXPECT_EQ(out[i], static_cast<int>(i % 8) * 10 + kTable[i % 8]) << options << i;
    program.run("other", Arguments().add(out.data()), range1(1, 1));
    EXPECT_EQ(out[0], 5) << options;
  }
}

// The same where each process makes the packets of its own kernels.
TEST(FirstBuild, SharesOutKernelsThatHaveAConstantInCommon) {
  if (!can_share_out()) GTEST_SKIP() << "one CPU";
  std::string source =
      "constant int table[4] = {3, 1, 4, 1};\n"
      "constant int unused_by_some[2] = {5, 9};\n"
      "kernel void last(global ulong* out) { *out = (ulong)table + unused_by_some[out[0]]; }\n";
  constexpr int kKernels = 6;
  for (int k = 0; k < kKernels; ++k)
    source +=
        "kernel void k" + std::to_string(k) +
        "(global ulong* out) {"
        "  const size_t i = get_global_id(0); out[i] = (ulong)(table + out[i]) + table[i % 4]; }\n";
  CompiledProgram program(
      source, "-cl-conclave-first -cl-conclave-tune=fork_instructions=0,code_processes=2");
  EXPECT_TRUE(contains(program.binary(), "outlined.table"));
  EXPECT_FALSE(contains(program.binary(), "outlined.k0"));
  std::vector<uint64_t> first(1, 1);
  program.run("last", Arguments().add(first.data()), range1(1, 1));
  const uint64_t table = first[0] - 9;
  constexpr size_t kCount = 35;
  constexpr uint64_t kTable[4] = {3, 1, 4, 1};
  for (int k = 0; k < kKernels; ++k) {
    std::vector<uint64_t> out(kCount, 2);
    program.run("k" + std::to_string(k), Arguments().add(out.data()), range1(kCount, kCount));
    for (size_t i = 0; i < kCount; ++i)
      EXPECT_EQ(out[i], table + 2 * sizeof(int) + kTable[i % 4]) << k << ", " << i;
  }
}

// Many steps, each of which runs lane by lane: on every CPU packets of it are many times as long as its
// scalar code, which no vectorizer of LLVM makes longer.
std::string long_kernel() {
  std::string source =
      "kernel void big(global float* o, global int* p) { size_t i = get_global_id(0);"
      "  float x = o[i];";
  for (int step = 0; step < 300; ++step)
    source += "  x = x * atomic_inc(&p[i + " + std::to_string(step) + "]) + " +
              std::to_string(step) + ".5f;";
  return source + " o[i] = x; } kernel void small(global float* o) { o[get_global_id(0)] += 1; }";
}

TEST(FirstBuild, KeepsToItsBudget) {
  CompiledProgram best(long_kernel(), "-cl-conclave-width=8");
  EXPECT_FALSE(best.kernel_metadata("big")["reduced"].get<bool>());
  CompiledProgram first(
      long_kernel(),
      "-v -cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first");
  EXPECT_TRUE(first.kernel_metadata("big")["reduced"].get<bool>());
  const size_t refused = first.log().find("its packets are too much code for a first build");
  ASSERT_NE(refused, std::string::npos) << first.log();
  EXPECT_LT(refused, first.log().find("kernel 'small'")) << first.log();
  EXPECT_EQ(first.log().find("too much code", refused + 40), std::string::npos) << first.log();
  // Bitcode and metadata are the same.
  EXPECT_LT(build(long_kernel(),
                  "-cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first")
                    .binary.size() +
                10'000,
            build(long_kernel(), "-cl-conclave-width=8").binary.size());
}

// Loops that the program wants unrolled are unrolled after the code is counted.
TEST(FirstBuild, CountsTheCopiesThatTheProgramWants) {
  const auto has_packets = [](const std::string& hint) {
    const Response response = build(
        "kernel void k(global float* o, global int* p, int n) {"
        "  size_t i = get_global_id(0); float x = o[i];\n" +
            hint +
            "  for (int j = 0; j < n; ++j) x = x * atomic_inc(&p[i + j]) + 0.5f;"
            "  o[i] = x; }",
        "-v -cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first");
    return !contains(response.log, "too much code for a first build");
  };
  EXPECT_TRUE(has_packets(""));
  EXPECT_FALSE(has_packets("#pragma unroll 100\n"));
  EXPECT_FALSE(has_packets("n = 100;\n#pragma unroll\n"));
}

// Each process has its kernels' part of the budget: there is as much code as where one process makes
// it all.
TEST(FirstBuild, SharesOutItsBudget) {
  if (!can_share_out()) GTEST_SKIP() << "one CPU";
  constexpr int kKernels = 8;
  std::string source;
  for (int k = 0; k < kKernels; ++k) {
    source += "kernel void k" + std::to_string(k) +
              "(global float* o, global int* p) { size_t i = get_global_id(0); float x = o[i];";
    for (int step = 0; step < 20; ++step)
      source += "  x = x * atomic_inc(&p[i + " + std::to_string(step) + "]) + 0.5f;";
    source += " o[i] = x; }\n";
  }
  const auto size = [&](const std::string& processes, const std::string& budget) {
    return static_cast<double>(build(source,
                                     "-cl-conclave-width=8 -cl-conclave-first -cl-conclave-tune="
                                     "fork_instructions=0,code_processes=" +
                                         processes + ",first_code_cost=" + budget)
                                   .binary.size());
  };
  const double alone = size("1", "3000");
  EXPECT_GT(size("1", "9000"), 1.3 * alone);
  EXPECT_NEAR(size("2", "3000"), alone, 0.1 * alone);
}

// LLVM's loop vectorizer would unroll the work-items of a kernel that has no packets: more code than
// the packets that were too much.
TEST(FirstBuild, IsShorterThanCodeForOneWorkItem) {
  std::string source =
      "kernel void k(global float* o, global const float* a, global const int* at) {"
      "  size_t i = get_global_id(0); float x = 0;";
  for (int step = 0; step < 40; ++step)
    source +=
        "  x += a[at[i + " + std::to_string(7 * step) + "]] * " + std::to_string(step) + ".5f;";
  source += " o[i] = x; }";
  // Binaries hold their options, so these are of one length.
  const std::string options = " -cl-conclave-tune=first_code_cost=0 -cl-conclave-first";
  // The first build's metadata say besides that something is missing. Where LLVM makes no vectors of
  // gathers, as for Zen 4, the code is the same.
  constexpr size_t kMoreMetadata = 64;
  EXPECT_LE(build(source, "-cl-conclave-width=8" + options).binary.size(),
            build(source, "-cl-conclave-width=1" + options).binary.size() + kMoreMetadata);
}

TEST(FirstBuild, RemarkTellsWhatIsMissing) {
  Response response =
      build(long_kernel(),
            "-v -cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first");
  EXPECT_NE(response.log.find("kernel 'big': not vectorized: its packets are too much code for a "
                              "first build; they come in the background"),
            std::string::npos)
      << response.log;
}

// Those that would not become faster are not made again: work-items one by one that call nothing long.
// The packets of a first build go through fewer passes, and long functions are not inlined there.
TEST(FirstBuild, TellsWhichKernelsGainByMoreEffort) {
  std::string turn = "uint turn(uint x) {";
  for (int step = 0; step < 60; ++step)
    turn += " x = (x ^ " + std::to_string(step) + ") * 33; x ^= x >> 7;";
  const std::string source =
      turn +
      " return x; }"
      "uint twice(uint x) { return turn(turn(x)); }"
      "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void hash(global uint* o, uint n) {"
      "  uint x = o[get_group_id(0)];"
      "  for (uint i = 0; i < n; ++i) x = twice(x) + turn(i);"
      "  o[get_group_id(0)] = x; }"
      "kernel void count(global uint* o, uint n) {"
      "  uint x = o[0]; for (uint i = 0; i < n; ++i) x = x * 3 + (x >> 5); o[0] = x; }"
      "kernel void many(global uint* o) { o[get_global_id(0)] += 1; }";
  CompiledProgram first(source, "-cl-conclave-first");
  CompiledProgram best(source, "");
  for (const auto& [kernel, gains] : {std::pair("hash", true), {"count", false}, {"many", true}}) {
    EXPECT_EQ(first.kernel_metadata(kernel)["reduced"].get<bool>(), gains) << kernel;
    EXPECT_FALSE(best.kernel_metadata(kernel)["reduced"].get<bool>()) << kernel;
  }
}

// What a loop around barriers runs again and again is short here, and stays fast.
TEST(FirstBuild, ShortPartsKeepTheirPackets) {
  std::string source =
      "kernel void k(global int* p, global float* o, local float* l) {"
      "  size_t i = get_local_id(0); float x = o[i]; l[i] = x;"
      "  for (int step = 1; step < 8; ++step) {"
      "    barrier(CLK_LOCAL_MEM_FENCE); x = l[i + step];"
      "    barrier(CLK_LOCAL_MEM_FENCE); l[i] += x; }";
  for (int step = 0; step < 300; ++step)
    source += "  x = x * atomic_inc(&p[i + " + std::to_string(step) + "]) + " +
              std::to_string(step) + ".5f;";
  source += " o[i] = x; }";
  CompiledProgram first(
      source, "-v -cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first");
  EXPECT_TRUE(first.kernel_metadata("k")["reduced"].get<bool>());
  EXPECT_NE(first.log().find("part 2 of 3, lines 1 to 1: 8 lanes"), std::string::npos)
      << first.log();
  EXPECT_NE(first.log().find("part 3 of 3, lines 1 to 1: not vectorized: its packets are too much"),
            std::string::npos)
      << first.log();
}

TEST(FirstBuild, OneKernelIsMadeInFullLater) {
  Request request;
  request.action = Action::kRebuild;
  request.options =
      "-cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first "
      "-cl-conclave-kernel=big";
  request.inputs = {
      build(long_kernel(),
            "-cl-conclave-width=8 -cl-conclave-tune=first_code_cost=2000 -cl-conclave-first")
          .binary};
  CompiledProgram program(request);
  ASSERT_EQ(program.metadata()["kernels"].size(), 1);
  EXPECT_FALSE(program.kernel_metadata("big")["reduced"].get<bool>());
  EXPECT_EQ(program.kernel_metadata("big")["lanes"], 8);
}

}  // namespace
}  // namespace conclave::test
