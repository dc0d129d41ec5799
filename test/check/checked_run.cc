// SPDX-License-Identifier: Apache-2.0
#include "test/check/checked_run.h"

#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace conclave::test {
namespace {

void require(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": error " + std::to_string(status));
}

struct Collector {
  std::mutex mutex;
  std::vector<std::string> texts;
};

void CL_CALLBACK collect(const char* text, const void*, size_t, void* collector) {
  auto* self = static_cast<Collector*>(collector);
  std::lock_guard lock(self->mutex);
  self->texts.emplace_back(text);
}

std::string build_log(cl_program program, cl_device_id device) {
  std::string log(1 << 16, '\0');
  size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), &size);
  log.resize(size);
  return log;
}

// All that one run needs of OpenCL.
class Session {
 public:
  explicit Session(Collector& collector) {
    cl_platform_id platform;
    require(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, collect, &collector, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    require(status, "clCreateCommandQueueWithProperties");
  }
  ~Session() {
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    for (void* memory : shared_) clSVMFree(context_, memory);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  cl_program build(const std::string& source, const std::string& options) {
    const char* text = source.c_str();
    cl_int status;
    cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
      throw std::runtime_error(build_log(program, device_));
    return program;
  }

  void set(cl_kernel kernel, cl_uint index, const Argument& argument) {
    switch (argument.kind) {
      case Argument::Kind::kLocal:
        return require(clSetKernelArg(kernel, index, argument.bytes, nullptr), "clSetKernelArg");
      case Argument::Kind::kInt:
        return require(clSetKernelArg(kernel, index, sizeof argument.number, &argument.number),
                       "clSetKernelArg");
      case Argument::Kind::kShared:
        shared_.push_back(clSVMAlloc(context_, CL_MEM_READ_WRITE, argument.bytes, 0));
        return set_middle(kernel, index, shared_.back(), argument.bytes);
      case Argument::Kind::kHost:
        host_.emplace_back(argument.bytes);
        return set_middle(kernel, index, host_.back().data(), argument.bytes);
      case Argument::Kind::kBuffer:
        break;
    }
    cl_int status;
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, argument.bytes, nullptr, &status);
    require(status, "clCreateBuffer");
    buffers_.push_back(buffer);
    if (!argument.content.empty())
      require(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, argument.content.size() * 4,
                                   argument.content.data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    require(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "clSetKernelArg");
  }

  void launch(cl_kernel kernel, const Run& run) {
    require(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(run.global.size()), nullptr,
                                   run.global.data(), run.local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    require(clFinish(queue_), "clFinish");
  }

  cl_mem last_buffer() const { return buffers_.back(); }
  void release_last_buffer() {
    clReleaseMemObject(buffers_.back());
    buffers_.pop_back();
  }

  std::vector<std::vector<cl_int>> read() {
    std::vector<std::vector<cl_int>> all;
    for (cl_mem buffer : buffers_) {
      size_t bytes = 0;
      clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
      std::vector<cl_int>& content = all.emplace_back(bytes / 4);
      require(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, content.size() * 4, content.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
    return all;
  }

 private:
  static void set_middle(cl_kernel kernel, cl_uint index, void* memory, size_t bytes) {
    require(clSetKernelArgSVMPointer(kernel, index, static_cast<char*>(memory) + bytes / 2),
            "clSetKernelArgSVMPointer");
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::vector<cl_mem> buffers_;
  std::vector<void*> shared_;
  std::vector<std::vector<char>> host_;
};

}  // namespace

Argument buffer_of(size_t bytes) {
  return {Argument::Kind::kBuffer, bytes, {}, 0};
}
Argument buffer_with(std::vector<cl_int> content) {
  const size_t bytes = content.size() * 4;
  return {Argument::Kind::kBuffer, bytes, std::move(content), 0};
}
Argument local_of(size_t bytes) {
  return {Argument::Kind::kLocal, bytes, {}, 0};
}
Argument number(cl_int value) {
  return {Argument::Kind::kInt, 0, {}, value};
}
Argument middle_of_shared(size_t bytes) {
  return {Argument::Kind::kShared, bytes, {}, 0};
}
Argument middle_of_host(size_t bytes) {
  return {Argument::Kind::kHost, bytes, {}, 0};
}

namespace {

Outcome run_as(const Run& run, const std::string& kernel_name, const std::string& options) {
  Outcome outcome;
  outcome.kernel = kernel_name;
  Collector collector;
  Session session(collector);
  cl_program program =
      session.build(run.source, run.options + options + " -DNAME=" + outcome.kernel);
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, outcome.kernel.c_str(), &status);
  require(status, "clCreateKernel");
  for (cl_uint i = 0; i < run.arguments.size(); ++i) session.set(kernel, i, run.arguments[i]);
  session.launch(kernel, run);
  outcome.buffers = session.read();
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  std::lock_guard lock(collector.mutex);
  outcome.findings = collector.texts;
  return outcome;
}

std::string next_name() {
  // Findings of one kernel are reported once in a process.
  static std::atomic<int> runs{0};
  return "kernel_" + std::to_string(++runs);
}

}  // namespace

Outcome run_checked(const Run& run) {
  return run_as(run, next_name(), " -cl-conclave-check");
}

Outcome run_with_kept_address(const std::string& source, const std::string& options, bool release) {
  constexpr size_t kItems = 256;
  Outcome outcome;
  outcome.kernel = next_name();
  Collector collector;
  Session session(collector);
  cl_program program =
      session.build(source, options + " -cl-conclave-check -DNAME=" + outcome.kernel);
  cl_int status;
  cl_kernel keep = clCreateKernel(program, "keep", &status);
  require(status, "clCreateKernel");
  cl_kernel use = clCreateKernel(program, outcome.kernel.c_str(), &status);
  require(status, "clCreateKernel");
  session.set(use, 1, buffer_of(4 * kItems));
  session.set(keep, 0, buffer_of(8));
  const cl_mem place = session.last_buffer();
  std::vector<cl_int> counting(kItems);
  std::iota(counting.begin(), counting.end(), 0);
  session.set(keep, 1, buffer_with(counting));
  session.launch(keep, {"", "", {1}, {1}, {}});
  if (release) session.release_last_buffer();
  require(clSetKernelArg(use, 0, sizeof place, &place), "clSetKernelArg");
  session.launch(use, {"", "", {kItems}, {64}, {}});
  outcome.buffers = session.read();
  for (cl_kernel kernel : {keep, use}) clReleaseKernel(kernel);
  clReleaseProgram(program);
  std::lock_guard lock(collector.mutex);
  outcome.findings = collector.texts;
  return outcome;
}

Outcome run_unchecked(const Run& run) {
  return run_as(run, "bad", "");
}

}  // namespace conclave::test
