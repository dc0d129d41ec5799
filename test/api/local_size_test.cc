// SPDX-License-Identifier: Apache-2.0
// Kernels get code of their own for local sizes and formats of images that are used often; nobody
// must notice but by the time it takes.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

// Barriers, a loop with barriers, local memory of both kinds, and all that a work-item can ask
// about the size of its group.
const char kSource[] = R"(
  kernel void meet(global uint* out, local uint* tile) {
    local uint first;
    const size_t l = get_local_linear_id();
    const size_t n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    tile[l] = get_global_linear_id() + 1;
    if (l == 0) first = tile[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = first + 3 * tile[n - 1 - l];
    for (size_t s = 1; s < get_enqueued_local_size(0); s *= 2) {
      sum = 5 * sum + tile[(l + s) % n];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_linear_id()] = sum + 7 * get_local_size(0) + 11 * get_local_size(1);
  }
  size_t place() { return get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0); }
  kernel void add(global int* x, int amount) { x[place()] += amount; }
  kernel void copy(global int* x) { x[get_global_id(0)] = get_global_id(0); }
  global int calls = 0;
  kernel void count(global int* x) { x[place()] = atomic_add(&calls, 1); }
  constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  kernel void blur(read_only image2d_t in, write_only image2d_t out) {
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = 0;
    for (int dx = -2; dx <= 2; ++dx) sum += read_imageui(in, edge, p + (int2)(dx, -1));
    write_imageui(out, p, sum);
  }
)";

struct Shape {
  std::array<size_t, 3> global, local;
};

// What `meet` has to leave, worked out group by group.
std::vector<int> expected_of_meet(const Shape& shape) {
  const auto& [global, local] = shape;
  const auto linear = [&](const std::array<size_t, 3>& p) {
    return (p[2] * global[1] + p[1]) * global[0] + p[0];
  };
  std::vector<int> out(global[0] * global[1] * global[2]);
  std::array<size_t, 3> base{}, size{}, p{};
  for (base[2] = 0; base[2] < global[2]; base[2] += local[2])
    for (base[1] = 0; base[1] < global[1]; base[1] += local[1])
      for (base[0] = 0; base[0] < global[0]; base[0] += local[0]) {
        std::vector<size_t> items;
        for (size_t d = 0; d < 3; ++d) size[d] = std::min(local[d], global[d] - base[d]);
        for (p[2] = base[2]; p[2] < base[2] + size[2]; ++p[2])
          for (p[1] = base[1]; p[1] < base[1] + size[1]; ++p[1])
            for (p[0] = base[0]; p[0] < base[0] + size[0]; ++p[0]) items.push_back(linear(p));
        const size_t n = items.size();
        for (size_t l = 0; l < n; ++l) {
          size_t sum = items[0] + 1 + 3 * (items[n - 1 - l] + 1);
          for (size_t s = 1; s < local[0]; s *= 2) sum = 5 * sum + items[(l + s) % n] + 1;
          out[items[l]] = static_cast<int>(static_cast<uint32_t>(sum + 7 * size[0] + 11 * size[1]));
        }
      }
  return out;
}

struct Session {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program;
  explicit Session(const std::string& source = kSource)
      : program(build(context, source, "-cl-std=CL3.0")) {}
};

bool meet_is_right(const Session& s, cl_kernel meet, const Shape& shape) {
  const std::vector<int> expected = expected_of_meet(shape);
  Buffer out = make_buffer(s.context, std::vector<int>(expected.size(), -1));
  const size_t items = shape.local[0] * shape.local[1] * shape.local[2];
  EXPECT_OK(clSetKernelArg(meet, 0, sizeof(cl_mem), out.list()));
  EXPECT_OK(clSetKernelArg(meet, 1, items * sizeof(cl_uint), nullptr));
  EXPECT_OK(clEnqueueNDRangeKernel(s.queue, meet, 3, nullptr, shape.global.data(),
                                   shape.local.data(), 0, nullptr, nullptr));
  return contents(s.queue, out, expected.size()) == expected;
}

constexpr Shape kShapes[] = {
    {{640, 1, 1}, {64, 1, 1}},  // all groups full
    {{100, 1, 1}, {48, 1, 1}},  // the last one is smaller
    {{37, 9, 5}, {8, 4, 2}},    // in all dimensions
    {{12, 30, 1}, {3, 5, 1}},   // rows shorter than a vector
};

// Sums in the channels that `order` stores, of images of 8 bits, in one of 16.
bool blur_is_right(const Session& s, cl_kernel blur, cl_channel_order order, size_t channels) {
  constexpr int kWidth = 75, kHeight = 6;
  const size_t count = kWidth * kHeight * channels;
  std::vector<cl_uchar> in(count);
  std::vector<cl_ushort> out(count), expected(count);
  for (size_t i = 0; i < count; ++i) in[i] = static_cast<cl_uchar>(i * 37 + i / 7);
  const cl_image_format narrow{order, CL_UNSIGNED_INT8}, wide{order, CL_UNSIGNED_INT16};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kWidth;
  desc.image_height = kHeight;
  Buffer from(clCreateImage(s.context, CL_MEM_COPY_HOST_PTR, &narrow, &desc, in.data(), nullptr));
  Buffer to(clCreateImage(s.context, 0, &wide, &desc, nullptr, nullptr));
  const size_t global[] = {kWidth, kHeight}, origin[3] = {}, region[] = {kWidth, kHeight, 1};
  EXPECT_OK(clSetKernelArg(blur, 0, sizeof(cl_mem), from.list()));
  EXPECT_OK(clSetKernelArg(blur, 1, sizeof(cl_mem), to.list()));
  EXPECT_OK(
      clEnqueueNDRangeKernel(s.queue, blur, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
  EXPECT_OK(clEnqueueReadImage(s.queue, to, CL_TRUE, origin, region, 0, 0, out.data(), 0, nullptr,
                               nullptr));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (size_t c = 0; c < channels; ++c)
        for (int dx = -2; dx <= 2; ++dx) {
          const int at = std::max(y - 1, 0) * kWidth + std::clamp(x + dx, 0, kWidth - 1);
          expected[static_cast<size_t>(y * kWidth + x) * channels + c] +=
              in[static_cast<size_t>(at) * channels + c];
        }
  return out == expected;
}

// Each format has code of its own from its first launch on, as far as there is room for it.
CHILD_PROCESS(specialised_for_images) {
  Session s;
  Kernel blur = make_kernel(s.program, "blur");
  for (int round = 0; round < 2; ++round) {
    CHECK(blur_is_right(s, blur, CL_R, 1));
    CHECK(blur_is_right(s, blur, CL_RG, 2));
    CHECK(blur_is_right(s, blur, CL_RGBA, 4));
  }
  return 0;
}

// Prints for each specialisation, because of CONCLAVE_LOG.
CHILD_PROCESS(specialised_at_once) {
  Session s;
  Kernel meet = make_kernel(s.program, "meet");
  for (const Shape& shape : kShapes)
    for (int round = 0; round < 3; ++round) CHECK(meet_is_right(s, meet, shape));
  size_t size[3] = {1, 1, 1};
  CHECK(clGetKernelWorkGroupInfo(meet, device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size,
                                 size, nullptr) == CL_SUCCESS);
  CHECK(size[0] == 0 && size[1] == 0 && size[2] == 0);
  // More sizes than get code of their own, or are watched at all.
  for (size_t x = 1; x < 20; ++x) CHECK(meet_is_right(s, meet, {{50, 3, 1}, {x, 2, 1}}));
  // The program has one such variable for all kernels that count with it.
  Kernel count = make_kernel(s.program, "count");
  Buffer numbers = make_buffer(s.context, std::vector<int>(64));
  CHECK(clSetKernelArg(count, 0, sizeof(cl_mem), numbers.list()) == CL_SUCCESS);
  const size_t items = 64, local = 16;
  std::vector<int> seen;
  for (const size_t* chosen : {&local, &items})
    CHECK(clEnqueueNDRangeKernel(s.queue, count, 1, nullptr, &items, chosen, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  for (int number : contents(s.queue, numbers, 64)) CHECK(number >= 64 && number < 128);
  // The local size means nothing to this one.
  Kernel copy = make_kernel(s.program, "copy");
  CHECK(clSetKernelArg(copy, 0, sizeof(cl_mem), numbers.list()) == CL_SUCCESS);
  CHECK(clEnqueueNDRangeKernel(s.queue, copy, 1, nullptr, &items, &local, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(contents(s.queue, numbers, 64)[63] == 63);
  return 0;
}

// How many programs' code this process has loaded.
int count_code() {
  int count = 0;
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps))
    count += std::strstr(line, " r-xp ") && std::strstr(line, "memfd:");
  std::fclose(maps);
  return count;
}

// A kernel whose packets are much code, as each of its steps gathers; it knows global ids only.
std::string source_with_much_code() {
  std::string steps;
  for (int step = 0; step < 40; ++step)
    steps += "x = x * 5 + own[own[x % 64] + " + std::to_string(step) + "];";
  return "kernel void gather(global uint* o, global uint* p) {"
         "  uint x = get_global_id(0), own[256];"
         "  for (int i = 0; i < 256; ++i) own[i] = p[i % 128];" +
         steps + "o[get_global_id(0)] = x; }";
}

std::vector<int> expected_of_gather(const std::vector<int>& p, size_t items) {
  std::vector<int> out(items);
  for (size_t i = 0; i < items; ++i) {
    auto x = static_cast<uint32_t>(i);
    for (uint32_t step = 0; step < 40; ++step)
      x = x * 5 + static_cast<uint32_t>(p[static_cast<size_t>(p[x % 64]) + step]);
    out[i] = static_cast<int>(x);
  }
  return out;
}

// Launches until its code is there in full.
CHILD_PROCESS(full_code_meanwhile) {
  constexpr size_t kItems = 10'000;
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, source_with_much_code(),
                          "-cl-conclave-width=8 -cl-conclave-tune=first_code_cost=0");
  Kernel gather = make_kernel(program, "gather");
  std::vector<int> places(128);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i * 29 % 64);
  const std::vector<int> expected = expected_of_gather(places, kItems);
  Buffer out = make_buffer(context, std::vector<int>(kItems));
  Buffer in = make_buffer(context, places);
  CHECK(clSetKernelArg(gather, 0, sizeof(cl_mem), out.list()) == CL_SUCCESS);
  CHECK(clSetKernelArg(gather, 1, sizeof(cl_mem), in.list()) == CL_SUCCESS);
  const int code = count_code();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int more = 0; more<3; more += count_code()> code) {
    CHECK(std::chrono::steady_clock::now() < limit);
    CHECK(clEnqueueNDRangeKernel(queue, gather, 1, nullptr, &kItems, nullptr, 0, nullptr,
                                 nullptr) == CL_SUCCESS);
    CHECK(contents(queue, out, kItems) == expected);
  }
  return 0;
}

// Threads enqueue while the code is swapped.
CHILD_PROCESS(specialised_meanwhile) {
  constexpr int kThreads = 4, kItems = 100;  // with a smaller group at the end
  Session s;
  Buffer sums = make_buffer(s.context, std::vector<int>(kItems, 0));
  std::atomic<int> launches{0}, errors{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      Kernel add = make_kernel(s.program, "add");
      Kernel meet = make_kernel(s.program, "meet");
      const int one = 1;
      const size_t items = kItems, local = 16;
      errors += clSetKernelArg(add, 0, sizeof(cl_mem), sums.list()) != CL_SUCCESS;
      errors += clSetKernelArg(add, 1, sizeof one, &one) != CL_SUCCESS;
      while (std::chrono::steady_clock::now() < end && errors == 0) {
        errors += clEnqueueNDRangeKernel(s.queue, add, 1, nullptr, &items, &local, 0, nullptr,
                                         nullptr) != CL_SUCCESS;
        if (++launches % 64 == i) errors += !meet_is_right(s, meet, kShapes[i]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(errors == 0);
  CHECK(contents(s.queue, sums, kItems) == std::vector<int>(kItems, launches));
  return 0;
}

// Everything is released, and in the end the process exits, while code is being made.
CHILD_PROCESS(released_meanwhile) {
  for (int round = 0; round < 4; ++round) {
    Session s(fresh(kSource));
    Kernel meet = make_kernel(s.program, "meet");
    for (const Shape& shape : kShapes) CHECK(meet_is_right(s, meet, shape));
  }
  return 0;
}

// A program from a binary, without a compiler.
CHILD_PROCESS(without_compiler) {
  std::vector<unsigned char> binary;
  if (FILE* file = std::fopen(std::getenv("TEST_BINARY"), "rb")) {
    for (int c; (c = std::fgetc(file)) != EOF;) binary.push_back(static_cast<unsigned char>(c));
    std::fclose(file);
  }
  Context context = make_context();
  Queue queue = make_queue(context);
  cl_device_id only = device();
  const size_t size = binary.size();
  const unsigned char* data = binary.data();
  Program program(clCreateProgramWithBinary(context, 1, &only, &size, &data, nullptr, nullptr));
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  Kernel add = make_kernel(program, "add");
  Buffer x = make_buffer(context, std::vector<int>(64, 1));
  const int amount = 2;
  const size_t items = 64, local = 16;
  CHECK(clSetKernelArg(add, 0, sizeof(cl_mem), x.list()) == CL_SUCCESS);
  CHECK(clSetKernelArg(add, 1, sizeof amount, &amount) == CL_SUCCESS);
  for (int i = 0; i < 10; ++i)
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &items, &local, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  CHECK(contents(queue, x, 64) == std::vector<int>(64, 21));
  return 0;
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

class LocalSizeTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }
  static std::string output_of(const char* child,
                               std::vector<std::pair<std::string, std::string>> environment) {
    environment.emplace_back("CONCLAVE_LOG", "debug");
    const ChildResult result = run_child(child, environment, 100);
    EXPECT_EQ(0, result.exit_status) << result.output;
    return result.output;
  }
};

constexpr char kRuns[] = "runs specialised code";

TEST_F(LocalSizeTest, SpecialisedCodeComputesTheSame) {
  const std::string output = output_of("specialised_at_once", {{"CONCLAVE_SPECIALIZE", "now"}});
  // Not more than four sizes of a kernel, none of `count`, which uses a variable, nor of `copy`.
  EXPECT_EQ(4, count_of(output, kRuns)) << output;
  EXPECT_EQ(2, count_of(output, "'count' cannot be specialised: it uses the variable")) << output;
}

TEST_F(LocalSizeTest, FormatsOfImagesHaveCode) {
  const std::string output = output_of("specialised_for_images", {{"CONCLAVE_SPECIALIZE", "now"}});
  EXPECT_EQ(3, count_of(output, kRuns)) << output;
  EXPECT_EQ(1, count_of(output, "'blur', image formats 4277/4314,4277/4315: runs")) << output;
}

TEST_F(LocalSizeTest, IsOffOnRequest) {
  EXPECT_EQ(
      0, count_of(output_of("specialised_at_once", {{"CONCLAVE_SPECIALIZE", "off"}}), "special"));
}

TEST_F(LocalSizeTest, WhatAFirstBuildLeftOutComesInTheBackground) {
  const std::string output = output_of("full_code_meanwhile", {});
  EXPECT_EQ(1, count_of(output, "kernel 'gather': " + std::string(kRuns))) << output;
}

TEST_F(LocalSizeTest, CodeIsSwappedWhileThreadsEnqueue) {
  // Fills the cache; so it takes less than the child's time, however busy the machine.
  output_of("specialised_meanwhile", {{"CONCLAVE_SPECIALIZE", "now"}});
  const std::string output =
      output_of("specialised_meanwhile", {{"CONCLAVE_SPECIALIZE_AFTER_MS", "1"}});
  EXPECT_LE(1, count_of(output, "'add', local size 16,1,1: " + std::string(kRuns))) << output;
}

TEST_F(LocalSizeTest, ReleaseAndExitDoNotWait) {
  output_of("released_meanwhile", {{"CONCLAVE_SPECIALIZE_AFTER_MS", "0"}});
}

TEST_F(LocalSizeTest, BinaryWithoutCompilerKeepsItsCode) {
  Program program = build(context_, kSource, "-cl-std=CL3.0");
  const std::vector<unsigned char> binary = binary_of(program);
  char path[] = "/tmp/conclave-binary-XXXXXX";
  const int file = mkstemp(path);
  ASSERT_EQ(static_cast<ssize_t>(binary.size()), write(file, binary.data(), binary.size()));
  close(file);
  const std::string output = output_of("without_compiler", {{"CONCLAVE_SPECIALIZE_AFTER_MS", "0"},
                                                            {"CONCLAVE_CLOCL", "/nonexistent"},
                                                            {"TEST_BINARY", path}});
  unlink(path);
  EXPECT_EQ(1, count_of(output, "no compiler is installed")) << output;
}

}  // namespace
}  // namespace conclave::test
