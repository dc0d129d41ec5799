// SPDX-License-Identifier: Apache-2.0
#include "test/kernel/kernel_test.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "test/common/to_spirv.h"

namespace conclave::test {

Device& Device::get() {
  static Device device;
  return device;
}

Device::Device() {
  cl_uint count = 0;
  require(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  require(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  cl_platform_id chosen = platforms.at(0);
  for (cl_platform_id platform : platforms) {
    std::array<char, 256> name{};
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size(), name.data(), nullptr);
    if (std::string_view(name.data()).find("Conclave") == std::string_view::npos) continue;
    conclave_ = true;
    chosen = platform;
  }
  require(clGetDeviceIDs(chosen, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr), "clGetDeviceIDs");
  cl_int status;
  context_.reset(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status));
  require(status, "clCreateContext");
  queue_.reset(clCreateCommandQueueWithProperties(context_.get(), id_, nullptr, &status));
  require(status, "clCreateCommandQueueWithProperties");
}

namespace {

// What the front end that makes SPIR-V knows of the options, for a shell, which takes parentheses
// for its own unless they are quoted already.
std::string language_options(const std::string& options) {
  const bool has_quotes = options.find('"') != std::string::npos;
  std::istringstream words(options);
  std::string some;
  for (std::string word; words >> word;)
    if (!word.starts_with("-cl-conclave-")) some += has_quotes ? word + " " : "'" + word + "' ";
  return some;
}

}  // namespace

bool from_spirv() {
  static const bool is_set = std::getenv("CONCLAVE_TEST_SPIRV");
  return is_set;
}

bool tries(std::string_view type) {
  return !from_spirv() || type == "int" || type == "uint" || type == "half" || type == "float";
}

Program::Program(const std::string& source, const std::string& options) {
  const Device& device = Device::get();
  cl_int status;
  if (from_spirv()) {
    const std::string module = to_spirv(CONCLAVE_TEST_CLOCL, source, language_options(options));
    program_.reset(clCreateProgramWithIL(device.context(), module.data(), module.size(), &status));
    require(status, "clCreateProgramWithIL");
  } else {
    const char* text = source.c_str();
    program_.reset(clCreateProgramWithSource(device.context(), 1, &text, nullptr, &status));
    require(status, "clCreateProgramWithSource");
  }
  cl_device_id id = device.id();
  status = clBuildProgram(program_.get(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS)
    throw std::runtime_error("clBuildProgram: error " + std::to_string(status) + "\n" + log());
}

std::string Program::log() const {
  size_t size = 0;
  cl_device_id id = Device::get().id();
  require(clGetProgramBuildInfo(program_.get(), id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
          "clGetProgramBuildInfo");
  std::string text(size, '\0');
  require(
      clGetProgramBuildInfo(program_.get(), id, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr),
      "clGetProgramBuildInfo");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

Owned<cl_kernel, clReleaseKernel> Program::make_kernel(const char* name) const {
  cl_int status;
  Owned<cl_kernel, clReleaseKernel> kernel(clCreateKernel(program_.get(), name, &status));
  require(status, name);
  return kernel;
}

void Program::launch(cl_kernel kernel, const Range& range) {
  cl_command_queue queue = Device::get().queue();
  require(clEnqueueNDRangeKernel(
              queue, kernel, static_cast<cl_uint>(range.global.size()),
              range.offset.empty() ? nullptr : range.offset.data(), range.global.data(),
              range.local.empty() ? nullptr : range.local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  require(clFinish(queue), "clFinish");
}

}  // namespace conclave::test
