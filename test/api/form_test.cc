// SPDX-License-Identifier: Apache-2.0
// Forms of a kernel's code compete: packets, narrower packets, work-items one by one. The fastest
// stays, later processes know it, and nobody notices but by the time it takes.
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "api_test.h"
#include "child_process.h"
#include "test/common/temporary_directory.h"

namespace conclave::test {
namespace {

// One work-item in 64 walks, from place to place. In a packet, the other lanes wait for it, and its
// loads are those of all lanes.
const char kWalk[] = R"(
  kernel void walk(global int* out, global const int* next) {
    const int id = get_global_id(0);
    int at = id & 1023;
    if (id % 64 == 0)
      for (int step = 0; step < 500; ++step) at = next[at] ^ (at >> 4 & 1);
    out[id] = at;
  }
)";

constexpr size_t kItems = 1 << 15;

std::vector<int> next_places() {
  std::vector<int> next(1024);
  for (size_t i = 0; i < next.size(); ++i) next[i] = static_cast<int>(i * 389 % 1024);
  return next;
}

std::vector<int> expected_of_walk() {
  const std::vector<int> next = next_places();
  std::vector<int> out(kItems);
  for (size_t id = 0; id < kItems; ++id) {
    int at = static_cast<int>(id) & 1023;
    for (int step = 0; id % 64 == 0 && step < 500; ++step)
      at = next[static_cast<size_t>(at)] ^ (at >> 4 & 1);
    out[id] = at;
  }
  return out;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != text.npos;
}

struct Walk {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kWalk, "-v");
  Kernel kernel = make_kernel(program, "walk");
  Buffer out = make_buffer(context, std::vector<int>(kItems));
  Buffer in = make_buffer(context, next_places());
  const std::vector<int> expected = expected_of_walk();

  bool is_right() {
    const size_t local = 64;
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), in.list()));
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &local, 0, nullptr, nullptr));
    return contents(queue, out, kItems) == expected;
  }
};

bool has_line(const std::string& text, const std::string& start, const std::string& what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(start);
    if (at != line.npos && line.find(what, at) != line.npos) return true;
  }
  return false;
}

// Launches until a build's log has a line with `start` and behind it `what`, which tells the fastest
// form: how many launches that takes depends on what else the machine does. Returns whether all were
// right, and it told.
template <typename Launch>
bool are_right_until_known(cl_context context, const char* source, const std::string& start,
                           const std::string& what, Launch&& is_right) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(80);
  while (std::chrono::steady_clock::now() < limit) {
    for (int i = 0; i < 50; ++i)
      if (!is_right()) return false;
    const Program again = build(context, source, "-v");
    if (has_line(build_log(again), start, what)) return true;
  }
  return false;
}

CHILD_PROCESS(walk_until_known) {
  Walk walk;
  CHECK(are_right_until_known(walk.context, kWalk, "kernel 'walk': 1 work-item at a time",
                              "times as long", [&] { return walk.is_right(); }));
  return 0;
}

CHILD_PROCESS(walk_for_a_while) {
  Walk walk;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  while (std::chrono::steady_clock::now() < end) CHECK(walk.is_right());
  return 0;
}

// What OpenCL C defines to the last bit, what it leaves to the implementation, barriers, loops of
// different lengths.
const char kMixed[] = R"(
  kernel void polynomial(global float* out, global const float* in) {
    const size_t i = get_global_id(0);
    const float x = in[i], y = in[i ^ 1];
    out[i] = x * x * y + y * 3.5f - x * 0.1f + x / (y + 2) + sqrt(fabs(x)) + fma(x, y, y);
  }
  kernel void waves(global float* out, global const float* in) {
    const size_t i = get_global_id(0);
    const float x = in[i];
    out[i] = sin(x) * exp(x * 0.1f) + log(fabs(x) + 1) + atan2(x, 3.0f) - tanh(x);
  }
  kernel void doubles(global float* out, global const float* in) {
    const size_t i = get_global_id(0);
    const double x = in[i];
    out[i] = (float)(sin(x) * 1e6) + (float)(exp(x * 0.1) + cbrt(x) * x / 7);
  }
  kernel void group_sum(global float* out, global const float* in) {
    local float tile[64];
    const int l = get_local_id(0);
    float sum = tile[l] = in[get_global_id(0)];
    for (int step = 1; step < 64; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      sum = sum * 0.7f + tile[(l + step) % 64];
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[l] = sum;
    }
    out[get_global_id(0)] = sum;
  }
  kernel void steps(global float* out, global const float* in) {
    const size_t i = get_global_id(0);
    float x = in[i];
    int count = 0;
    for (; fabs(x) > 0.01f && count < 100; ++count) x = x * 0.8f - in[(i * 7 + count) % 1000] * 0.01f;
    out[i] = x + count;
  }
)";
constexpr const char* kMixedKernels[] = {"polynomial", "waves", "doubles", "group_sum", "steps"};
constexpr size_t kMixedItems = 4096;

struct Mixed {
  Context context = make_context();
  Queue queue = make_queue(context);
  Buffer in;
  Buffer out = make_buffer(context, std::vector<int>(kMixedItems));

  Mixed() {
    std::vector<int> bits(kMixedItems);
    for (size_t i = 0; i < bits.size(); ++i) {
      const float x = static_cast<float>(i * 7919 % 4093) / 409.3F - 5;
      std::memcpy(&bits[i], &x, sizeof x);
    }
    in = make_buffer(context, bits);
  }
  // The bits of the results.
  std::vector<int> run(cl_kernel kernel) {
    const size_t local = 64;
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), in.list()));
    EXPECT_OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kMixedItems, &local, 0, nullptr,
                                     nullptr));
    return contents(queue, out, kMixedItems);
  }
};

// While forms compete, all launches leave the same bits.
CHILD_PROCESS(mixed_in_all_forms) {
  Mixed mixed;
  Program fixed = build(mixed.context, kMixed, "-cl-conclave-width=16");
  Program competing = build(mixed.context, kMixed, "-v");
  for (const char* name : kMixedKernels) {
    Kernel one = make_kernel(fixed, name), other = make_kernel(competing, name);
    const std::vector<int> expected = mixed.run(one);
    CHECK(are_right_until_known(mixed.context, kMixed, "kernel '" + std::string(name) + "'",
                                "times as long", [&] { return mixed.run(other) == expected; }));
  }
  return 0;
}

class FormTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }

  // `mode`: of CONCLAVE_TRY_FORMS.
  std::string output_of(const char* child, const char* mode,
                        std::vector<std::pair<std::string, std::string>> environment = {}) {
    environment.emplace_back("CONCLAVE_TRY_FORMS", mode);
    environment.emplace_back("CONCLAVE_CACHE_DIR", cache_.path());
    environment.emplace_back("CONCLAVE_LOG", "debug");
    const ChildResult result = run_child(child, environment, 120);
    EXPECT_EQ(0, result.exit_status) << result.output;
    return result.output;
  }

  TemporaryDirectory cache_;
};

TEST_F(FormTest, AllFormsLeaveTheSameBits) {
  Mixed mixed;
  std::vector<std::vector<int>> expected;
  for (const char* width : {"1", "2", "4", "8", "16", "32"}) {
    Program program =
        build(mixed.context, kMixed, ("-cl-conclave-width=" + std::string(width)).c_str());
    for (size_t i = 0; i < std::size(kMixedKernels); ++i) {
      Kernel kernel = make_kernel(program, kMixedKernels[i]);
      const std::vector<int> bits = mixed.run(kernel);
      if (expected.size() == i) expected.push_back(bits);
      EXPECT_EQ(expected[i], bits) << kMixedKernels[i] << " with width " << width;
    }
  }
}

TEST_F(FormTest, LaunchesLeaveTheSameBitsMeanwhile) {
  const std::string output =
      output_of("mixed_in_all_forms", "now", {{"CONCLAVE_SPECIALIZE", "now"}});
  for (const char* name : kMixedKernels)
    EXPECT_TRUE(has(output, "kernel '" + std::string(name) + "'")) << name << output;
  EXPECT_TRUE(has(output, "times as long")) << output;
}

TEST_F(FormTest, TheFastestFormStaysAndIsKnownLater) {
  output_of("walk_until_known", "now", {{"CONCLAVE_SPECIALIZE_AFTER_MS", "5"}});
  const std::string known = output_of("walk_for_a_while", "background");
  EXPECT_TRUE(has(known, "known from the cache: 1 work-item at a time")) << known;
  const std::string off = output_of("walk_for_a_while", "off");
  EXPECT_FALSE(has(off, "work-item at a time")) << off;
}

TEST_F(FormTest, ProcessesFindTheSameSideBySide) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back(
        [&] { output_of("walk_until_known", "now", {{"CONCLAVE_SPECIALIZE_AFTER_MS", "5"}}); });
  for (std::thread& thread : threads) thread.join();
}

// Sub-groups are packets, and powers of float are calculated in another way for packets.
TEST_F(FormTest, OnlyWhatIsTheSameInAllFormsCompetes) {
  const char* const kOthers = R"(
    kernel void walk(global int* out, global const int* next) {
      out[get_global_id(0)] = sub_group_reduce_add(next[get_global_id(0) % 1024]);
    })";
  Program program = build(context_, kOthers, "-cl-std=CL3.0");
  const std::vector<unsigned char> binary = binary_of(program);
  EXPECT_TRUE(has({binary.begin(), binary.end()}, "\"lanes_matter\":true"));
}

}  // namespace
}  // namespace conclave::test
