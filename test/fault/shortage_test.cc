// SPDX-License-Identifier: Apache-2.0
// A program that uses much of OpenCL, again and again, each time with another request for memory, a
// mapping or a thread refused: no call may crash or hang, what fails says so by its code, nothing
// is lost, and afterwards everything works.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "shortage.h"

namespace conclave::test {
namespace {

constexpr size_t kItems = 4096;
constexpr char kSource[] = R"(
  kernel void add(global int* a, global const int* b, local int* scratch) {
    int i = get_global_id(0), l = get_local_id(0);
    scratch[l] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += scratch[get_local_size(0) - 1 - l];
  }
  kernel void say(global const int* a) { if (get_global_id(0) == 7) printf("%s", ""); }
  kernel void __attribute__((annotate("conclave.gang"))) meet(global int* a) {
    a[get_group_id(0)] += 1;
  })";

// Codes for a call that lacks something, or whose input is missing.
bool is_shortage(cl_int code) {
  switch (code) {
    case CL_SUCCESS:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return true;
    default:
      return false;
  }
}

// One run of the program. After the first error it only cleans up.
class Usage {
 public:
  // "" if all went well and all results are right, "short" where something was refused and every
  // code says so; otherwise what is wrong.
  std::string result() {
    use();
    clean_up();
    return result_;
  }

 private:
  // Calls `function` as OpenCL; true if all is well so far and it succeeded.
  template <class Function>
  bool ok(const char* what, Function function) {
    if (!result_.empty()) return false;
    cl_int code;
    {
      Shortage::InOpenCl in_opencl;
      code = function();
    }
    if (code == CL_SUCCESS) return true;
    result_ = is_shortage(code) ? "short" : std::string(what) + ": " + std::to_string(code);
    return false;
  }
  template <class Handle, class Function>
  bool create(const char* what, Handle& handle, Function function) {
    return ok(what, [&] {
      cl_int code = 1;
      handle = function(&code);
      return code;
    });
  }

  bool prepare();
  void use();
  bool enqueue();
  bool run_kernels();
  void check();
  void clean_up();

  static void CL_CALLBACK on_error(const char*, const void*, size_t, void*) {}
  static void CL_CALLBACK on_event(cl_event, cl_int, void* count) {
    static_cast<std::atomic<int>*>(count)->fetch_add(1);
  }
  static void CL_CALLBACK native(void* arguments) {
    static_cast<std::atomic<int>**>(arguments)[0]->fetch_add(1);
  }

  std::string result_;
  cl_context context_ = nullptr;
  cl_command_queue in_order_ = nullptr, out_of_order_ = nullptr;
  cl_program program_ = nullptr;
  std::array<cl_kernel, 3> kernels_{};
  std::array<cl_mem, 3> buffers_{};
  std::array<cl_event, 10> events_{};
  std::vector<int> host_ = std::vector<int>(kItems, 1), read_ = std::vector<int>(kItems);
  std::atomic<int> called_back_{0}, called_{0};
};

cl_device_id g_device;
cl_platform_id g_platform;

bool Usage::prepare() {
  const char* source = kSource;
  return create("clCreateContext", context_,
                [&](cl_int* e) {
                  return clCreateContext(nullptr, 1, &g_device, on_error, nullptr, e);
                }) &&
         create("clCreateCommandQueue", in_order_,
                [&](cl_int* e) { return clCreateCommandQueue(context_, g_device, 0, e); }) &&
         create("clCreateCommandQueue", out_of_order_,
                [&](cl_int* e) {
                  return clCreateCommandQueue(
                      context_, g_device,
                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, e);
                }) &&
         create("clCreateProgramWithSource", program_,
                [&](cl_int* e) {
                  return clCreateProgramWithSource(context_, 1, &source, nullptr, e);
                }) &&
         ok("clBuildProgram",
            [&] { return clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr); }) &&
         create("clCreateKernel", kernels_[0],
                [&](cl_int* e) { return clCreateKernel(program_, "add", e); }) &&
         create("clCreateKernel", kernels_[1],
                [&](cl_int* e) { return clCreateKernel(program_, "say", e); }) &&
         create("clCreateKernel", kernels_[2],
                [&](cl_int* e) { return clCreateKernel(program_, "meet", e); });
}

bool Usage::enqueue() {
  constexpr size_t kBytes = kItems * sizeof(int);
  for (size_t i = 0; i < 2; ++i)
    if (!create("clCreateBuffer", buffers_[i], [&](cl_int* e) {
          return clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, kBytes, host_.data(), e);
        }))
      return false;
  const cl_buffer_region part = {1024, 1024};
  const int seven = 7;
  const size_t origin[3] = {0, 0, 0}, region[3] = {64, 4, 1};
  return create("clCreateSubBuffer", buffers_[2],
                [&](cl_int* e) {
                  return clCreateSubBuffer(buffers_[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, e);
                }) &&
         create("clCreateUserEvent", events_[0],
                [&](cl_int* e) { return clCreateUserEvent(context_, e); }) &&
         ok("clEnqueueWriteBuffer",
            [&] {
              return clEnqueueWriteBuffer(out_of_order_, buffers_[1], CL_FALSE, 0, kBytes,
                                          host_.data(), 1, &events_[0], &events_[1]);
            }) &&
         ok("clEnqueueFillBuffer",
            [&] {
              return clEnqueueFillBuffer(in_order_, buffers_[2], &seven, sizeof seven, 0, 1024, 1,
                                         &events_[1], &events_[2]);
            }) &&
         ok("clEnqueueCopyBufferRect",
            [&] {
              return clEnqueueCopyBufferRect(out_of_order_, buffers_[1], buffers_[0], origin,
                                             origin, region, 64, 256, 64, 256, 1, &events_[2],
                                             &events_[3]);
            }) &&
         ok("clSetEventCallback",
            [&] { return clSetEventCallback(events_[3], CL_COMPLETE, on_event, &called_back_); }) &&
         run_kernels();
}

bool Usage::run_kernels() {
  const size_t items = kItems, group = 64;
  std::atomic<int>* counter = &called_;
  return ok("clSetKernelArg",
            [&] { return clSetKernelArg(kernels_[0], 0, sizeof(cl_mem), &buffers_[0]); }) &&
         ok("clSetKernelArg",
            [&] { return clSetKernelArg(kernels_[0], 1, sizeof(cl_mem), &buffers_[1]); }) &&
         ok("clSetKernelArg",
            [&] { return clSetKernelArg(kernels_[0], 2, group * sizeof(int), nullptr); }) &&
         ok("clSetKernelArg",
            [&] { return clSetKernelArg(kernels_[1], 0, sizeof(cl_mem), &buffers_[0]); }) &&
         ok("clSetKernelArg",
            [&] { return clSetKernelArg(kernels_[2], 0, sizeof(cl_mem), &buffers_[0]); }) &&
         ok("clEnqueueNDRangeKernel",
            [&] {
              return clEnqueueNDRangeKernel(out_of_order_, kernels_[0], 1, nullptr, &items, &group,
                                            3, &events_[1], &events_[4]);
            }) &&
         ok("clEnqueueMarkerWithWaitList",
            [&] { return clEnqueueMarkerWithWaitList(out_of_order_, 0, nullptr, &events_[5]); }) &&
         ok("clEnqueueNDRangeKernel",
            [&] {
              return clEnqueueNDRangeKernel(in_order_, kernels_[1], 1, nullptr, &items, &group, 1,
                                            &events_[5], &events_[6]);
            }) &&
         ok("clEnqueueNDRangeKernel",
            [&] {
              const size_t units = 4, one = 1;
              return clEnqueueNDRangeKernel(in_order_, kernels_[2], 1, nullptr, &units, &one, 0,
                                            nullptr, &events_[7]);
            }) &&
         ok("clEnqueueNativeKernel",
            [&] {
              return clEnqueueNativeKernel(out_of_order_, native, &counter, sizeof counter, 0,
                                           nullptr, nullptr, 1, &events_[7], &events_[8]);
            }) &&
         ok("clEnqueueBarrierWithWaitList",
            [&] { return clEnqueueBarrierWithWaitList(out_of_order_, 0, nullptr, &events_[9]); });
}

void Usage::check() {
  for (const cl_event event : events_) {
    cl_int status = 1;
    if (!ok("clGetEventInfo", [&] {
          return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                nullptr);
        }))
      return;
    if (status < 0 && is_shortage(status))
      result_ = "short";
    else if (status != CL_COMPLETE)
      result_ = "an event has status " + std::to_string(status);
    if (!result_.empty()) return;
  }
  if (!ok("clEnqueueReadBuffer", [&] {
        return clEnqueueReadBuffer(in_order_, buffers_[0], CL_TRUE, 0, kItems * sizeof(int),
                                   read_.data(), 0, nullptr, nullptr);
      }))
    return;
  for (size_t i = 0; i < kItems; ++i) {
    const int filled = i >= 256 && i < 512 ? 7 : 1;
    const int expected = filled + 1 + (i < 4);
    if (read_[i] != expected)
      result_ = "item " + std::to_string(i) + " is " + std::to_string(read_[i]) + ", not " +
                std::to_string(expected);
  }
  if (called_back_ != 1 || called_ != 1) result_ = "a callback was not called once";
}

void Usage::use() {
  const bool is_enqueued = prepare() && enqueue();
  Shortage::InOpenCl in_opencl;
  if (events_[0]) clSetUserEventStatus(events_[0], CL_COMPLETE);
  // A wait may say that it had no memory; it must come to its end all the same.
  cl_int finished = CL_SUCCESS;
  for (cl_command_queue queue : {out_of_order_, in_order_})
    if (queue)
      while ((finished = clFinish(queue)) == CL_OUT_OF_HOST_MEMORY) {
      }
  if (is_enqueued && finished == CL_SUCCESS) check();
}

void Usage::clean_up() {
  Shortage::InOpenCl in_opencl;
  for (const cl_event event : events_)
    if (event) clReleaseEvent(event);
  for (const cl_mem buffer : buffers_)
    if (buffer) clReleaseMemObject(buffer);
  for (const cl_kernel kernel : kernels_)
    if (kernel) clReleaseKernel(kernel);
  if (program_) clReleaseProgram(program_);
  for (cl_command_queue queue : {out_of_order_, in_order_})
    if (queue) clReleaseCommandQueue(queue);
  if (context_) clReleaseContext(context_);
}

// Says, should the program be stuck or crash, where; without any memory.
std::array<char, 200> g_present;
void tell_and_end(int signal) {
  const char* what = signal == SIGALRM ? ": stuck\n" : ": crashed\n";
  if (write(STDERR_FILENO, g_present.data(), strlen(g_present.data())) < 0) _exit(2);
  if (write(STDERR_FILENO, what, strlen(what)) < 0) _exit(2);
  std::array<void*, 40> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  _exit(1);
}
void note(Shortage::Kind kind, uint64_t first, uint64_t count, const char* where) {
  constexpr const char* kNames[] = {"memory", "mapping", "thread"};
  snprintf(g_present.data(), g_present.size(), "%s %llu and %llu more, %s",
           kNames[static_cast<int>(kind)], static_cast<unsigned long long>(first),
           static_cast<unsigned long long>(count - 1), where);
}

uint64_t stride(uint64_t usual) {
  const char* given = getenv("CONCLAVE_SHORTAGE_STRIDE");
  return given ? strtoull(given, nullptr, 10) : usual;
}

class ShortageTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &g_platform, nullptr));
    ASSERT_EQ(CL_SUCCESS, clGetDeviceIDs(g_platform, CL_DEVICE_TYPE_ALL, 1, &g_device, nullptr));
    std::array<void*, 1> frame;
    backtrace(frame.data(), 1);  // loads what it needs
    signal(SIGALRM, tell_and_end);
    signal(SIGABRT, tell_and_end);
    signal(SIGSEGV, tell_and_end);
  }

  // A run in a process that has not used the device, where requests from `first` on are refused.
  // Returns the number of requests; 0 if something was wrong.
  static uint64_t run_in_fresh_process(Shortage::Kind kind, uint64_t first, uint64_t count) {
    int pipe[2];
    if (::pipe(pipe) != 0) return 0;
    note(kind, first, count, "fresh process");
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      Shortage::begin(kind, first, count);
      std::string result = Usage().result();
      const uint64_t requests = Shortage::end();
      if (result.empty() || result == "short") result = Usage().result();
      if (!result.empty()) {
        fprintf(stderr, "%s: %s\n", g_present.data(), result.c_str());
        exit(1);
      }
      if (write(pipe[1], &requests, sizeof requests) < 0) exit(1);
      exit(0);
    }
    close(pipe[1]);
    uint64_t requests = 0;
    if (read(pipe[0], &requests, sizeof requests) < 0) requests = 0;
    close(pipe[0]);
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(0, status) << g_present.data();
    return status == 0 ? requests : 0;
  }
};

// First, since the others must not have used the device before they fork.
TEST_F(ShortageTest, AtTheFirstUse) {
  for (const auto kind :
       {Shortage::Kind::kThread, Shortage::Kind::kMapping, Shortage::Kind::kMemory}) {
    const uint64_t all = run_in_fresh_process(kind, UINT64_MAX, 1);
    ASSERT_NE(0u, all) << g_present.data();
    const uint64_t step = kind == Shortage::Kind::kMemory ? stride(17) : 1;
    for (uint64_t i = 1; i <= all; i += step) run_in_fresh_process(kind, i, 1);
  }
}

// From some request on every request is refused.
TEST_F(ShortageTest, ForGood) {
  for (const auto kind :
       {Shortage::Kind::kThread, Shortage::Kind::kMapping, Shortage::Kind::kMemory}) {
    const uint64_t all = run_in_fresh_process(kind, UINT64_MAX, 1);
    ASSERT_NE(0u, all) << g_present.data();
    const uint64_t step = kind == Shortage::Kind::kMemory ? stride(59) : 1;
    for (uint64_t i = 1; i <= all; i += step) run_in_fresh_process(kind, i, 1'000'000);
  }
}

// Memory in a process that has everything already: each request, and nothing may be lost.
TEST_F(ShortageTest, OfMemoryLater) {
  for (int i = 0; i < 5; ++i) ASSERT_EQ("", Usage().result());
  Shortage::begin(Shortage::Kind::kMemory, UINT64_MAX, 1);
  ASSERT_EQ("", Usage().result());
  const uint64_t all = Shortage::end();
  const auto run_short_of = [](uint64_t number) {
    note(Shortage::Kind::kMemory, number, 1, "later");
    alarm(10);
    Shortage::begin(Shortage::Kind::kMemory, number, 1);
    const std::string result = Usage().result();
    Shortage::end();
    EXPECT_TRUE(result.empty() || result == "short") << g_present.data() << ": " << result;
    EXPECT_EQ("", Usage().result()) << "after " << g_present.data();
    alarm(0);
  };
  for (uint64_t i = 1; i <= all + 10; ++i) {
    const int64_t before = Shortage::live_blocks();
    run_short_of(i);
    if (Shortage::live_blocks() <= before) continue;
    // A pool may have grown. A leak grows again each time.
    const int64_t again = Shortage::live_blocks();
    constexpr int kTimes = 8;
    for (int k = 0; k < kTimes; ++k) run_short_of(i);
    // A thread in the background holds kernels until it has looked for better code for them.
    for (int k = 0; k < 500 && Shortage::live_blocks() - again >= kTimes; ++k) usleep(20'000);
    EXPECT_LT(Shortage::live_blocks() - again, kTimes) << "a leak at memory " << i;
  }
}

}  // namespace
}  // namespace conclave::test
