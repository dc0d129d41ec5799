// SPDX-License-Identifier: Apache-2.0
#include "api_test.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

namespace conclave::test {

const char kKernels[] = R"(
kernel void add(global int* data, int amount) { data[get_global_id(0)] += amount; }
kernel void twice_plus(global int* data, int amount) {
  size_t i = get_global_id(0);
  data[i] = data[i] * 2 + amount;
}
kernel void group_sum(global const int* in, global int* out, local int* scratch) {
  size_t l = get_local_id(0);
  scratch[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    int sum = 0;
    for (size_t i = 0; i < get_local_size(0); ++i) sum += scratch[i];
    out[get_group_id(0)] = sum;
  }
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global int* out) {
  out[get_global_linear_id()] = (int)(get_local_size(0) * 10 + get_local_size(1));
}
kernel void ids(global int* out, int width, int height) {
  size_t x = get_global_id(0) - get_global_offset(0);
  size_t y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  out[(z * height + y) * width + x] =
      (int)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));
}
kernel void local_sizes(global int* out) { out[get_global_id(0)] = (int)get_local_size(0); }
kernel void nothing(void) {}
)";

namespace {

std::string text_of(const Query& query) {
  size_t size = 0;
  EXPECT_OK(query(0, nullptr, &size));
  std::string value(size, '\0');
  EXPECT_OK(query(size, value.data(), nullptr));
  return value.c_str();
}

std::string name_of(cl_platform_id platform) {
  return text_of([&](size_t size, void* value, size_t* ret) {
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, value, ret);
  });
}

cl_platform_id find_platform() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> all(count);
  clGetPlatformIDs(count, all.data(), nullptr);
  const char* wanted = std::getenv("CONCLAVE_TEST_PLATFORM");
  for (cl_platform_id candidate : all) {
    std::string name = name_of(candidate);
    if (wanted ? name.find(wanted) != std::string::npos : name == "Conclave") return candidate;
  }
  return nullptr;
}

cl_device_id find_device() {
  cl_device_id first = nullptr;
  if (platform()) clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, &first, nullptr);
  return first;
}

}  // namespace

cl_platform_id platform() {
  static const cl_platform_id found = find_platform();
  return found;
}

cl_device_id device() {
  static const cl_device_id found = find_device();
  return found;
}

bool is_conclave() {
  // If no other platform is asked for, tests of a missing Conclave must fail and not be skipped.
  if (!std::getenv("CONCLAVE_TEST_PLATFORM")) return true;
  return platform() && name_of(platform()) == "Conclave";
}

std::string error_name(cl_int code) {
#define NAME(value) \
  case value:       \
    return #value " (" + std::to_string(code) + ")"
  switch (code) {
    NAME(CL_SUCCESS);
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    NAME(CL_MEM_COPY_OVERLAP);
    NAME(CL_IMAGE_FORMAT_MISMATCH);
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_MAP_FAILURE);
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAME(CL_COMPILE_PROGRAM_FAILURE);
    NAME(CL_LINKER_NOT_AVAILABLE);
    NAME(CL_LINK_PROGRAM_FAILURE);
    NAME(CL_DEVICE_PARTITION_FAILED);
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_DEVICE_TYPE);
    NAME(CL_INVALID_PLATFORM);
    NAME(CL_INVALID_DEVICE);
    NAME(CL_INVALID_CONTEXT);
    NAME(CL_INVALID_QUEUE_PROPERTIES);
    NAME(CL_INVALID_COMMAND_QUEUE);
    NAME(CL_INVALID_HOST_PTR);
    NAME(CL_INVALID_MEM_OBJECT);
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    NAME(CL_INVALID_IMAGE_SIZE);
    NAME(CL_INVALID_SAMPLER);
    NAME(CL_INVALID_BINARY);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_PROGRAM);
    NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_KERNEL_DEFINITION);
    NAME(CL_INVALID_KERNEL);
    NAME(CL_INVALID_ARG_INDEX);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_DIMENSION);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_GLOBAL_OFFSET);
    NAME(CL_INVALID_EVENT_WAIT_LIST);
    NAME(CL_INVALID_EVENT);
    NAME(CL_INVALID_OPERATION);
    NAME(CL_INVALID_GL_OBJECT);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_MIP_LEVEL);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_PROPERTY);
    NAME(CL_INVALID_IMAGE_DESCRIPTOR);
    NAME(CL_INVALID_COMPILER_OPTIONS);
    NAME(CL_INVALID_LINKER_OPTIONS);
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
    NAME(CL_INVALID_PIPE_SIZE);
    NAME(CL_INVALID_DEVICE_QUEUE);
    NAME(CL_INVALID_SPEC_ID);
    NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    NAME(CL_DEVICE_PARTITION_FAILED_EXT);
    NAME(CL_INVALID_PARTITION_COUNT_EXT);
    NAME(CL_INVALID_PARTITION_NAME_EXT);
    default:
      return std::to_string(code);
  }
#undef NAME
}

void expect_all(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.call);
    EXPECT_CL(row.expected, row.run());
  }
}

std::vector<char> checked_info(const Query& query, InfoSize size) {
  size_t bytes = ~size_t{0};
  EXPECT_OK(query(0, nullptr, &bytes)) << "asking for the size alone";
  if (bytes == ~size_t{0}) return {};
  if (size.kind == InfoSize::kExact) {
    EXPECT_EQ(size.bytes, bytes);
  }
  if (size.kind == InfoSize::kArray) {
    EXPECT_EQ(0u, bytes % size.bytes) << "size " << bytes;
  }

  constexpr size_t kCanary = 32;
  std::vector<char> value(bytes + kCanary, '\x5a');
  size_t reported = ~size_t{0};
  EXPECT_OK(query(bytes, value.data(), &reported)) << "with exactly " << bytes << " bytes";
  EXPECT_EQ(bytes, reported);
  std::vector<char> roomy(bytes + kCanary, '\x5a');
  EXPECT_OK(query(roomy.size(), roomy.data(), nullptr)) << "with more room than needed";
  EXPECT_EQ(value, roomy);
  for (size_t i = bytes; i < roomy.size(); ++i) {
    EXPECT_EQ('\x5a', roomy[i]) << "written " << i - bytes << " bytes beyond the value";
  }
  if (bytes > 0) {
    EXPECT_CL(CL_INVALID_VALUE, query(bytes - 1, roomy.data(), nullptr)) << "one byte too few";
  }
  value.resize(bytes);
  if (size.kind == InfoSize::kString) {
    EXPECT_GE(bytes, 1u);
    EXPECT_EQ(bytes, std::strlen(value.empty() ? "" : value.data()) + 1) << "not one string";
  }
  return value;
}

std::string device_text(cl_device_id device, cl_device_info name) {
  return text_of([&](size_t size, void* value, size_t* ret) {
    return clGetDeviceInfo(device, name, size, value, ret);
  });
}

std::string platform_text(cl_platform_info name) {
  return text_of([&](size_t size, void* value, size_t* ret) {
    return clGetPlatformInfo(platform(), name, size, value, ret);
  });
}

std::string build_log(cl_program program, cl_device_id device) {
  return text_of([&](size_t size, void* value, size_t* ret) {
    return clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, value, ret);
  });
}

cl_int event_status(cl_event event) {
  return info<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
}

std::string fresh(const std::string& source) {
  static int count = 0;
  return "// " + std::to_string(getpid()) + " " + std::to_string(std::time(nullptr)) + " " +
         std::to_string(count++) + "\n" + source;
}

Context make_context() {
  cl_device_id device = test::device();
  cl_int err = CL_SUCCESS;
  Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err));
  EXPECT_OK(err);
  return context;
}

Queue make_queue(cl_context context, cl_command_queue_properties properties) {
  cl_int err = CL_SUCCESS;
  Queue queue(clCreateCommandQueue(context, device(), properties, &err));
  EXPECT_OK(err);
  return queue;
}

Program make_program(cl_context context, const std::string& source) {
  const char* string = source.c_str();
  cl_int err = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context, 1, &string, nullptr, &err));
  EXPECT_OK(err);
  return program;
}

Program build(cl_context context, const std::string& source, const char* options) {
  Program program = make_program(context, source);
  EXPECT_OK(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr)) << build_log(program);
  // A second try hides a crash from users.
  EXPECT_EQ(std::string::npos, build_log(program).find("the compiler crashed"));
  return program;
}

Kernel make_kernel(cl_program program, const char* name) {
  cl_int err = CL_SUCCESS;
  Kernel kernel(clCreateKernel(program, name, &err));
  EXPECT_OK(err) << "kernel " << name;
  return kernel;
}

Buffer make_buffer(cl_context context, size_t size, cl_mem_flags flags, void* host) {
  cl_int err = CL_SUCCESS;
  Buffer buffer(clCreateBuffer(context, flags, size, host, &err));
  EXPECT_OK(err);
  return buffer;
}

Buffer make_buffer(cl_context context, const std::vector<int>& data) {
  return make_buffer(context, data.size() * sizeof(int), CL_MEM_COPY_HOST_PTR,
                     const_cast<int*>(data.data()));
}

Buffer sub_buffer(cl_mem parent, size_t origin, size_t size, cl_mem_flags flags) {
  const cl_buffer_region region{origin, size};
  cl_int err = CL_SUCCESS;
  Buffer part(clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
  EXPECT_OK(err);
  return part;
}

std::vector<unsigned char> binary_of(cl_program program) {
  size_t size = 0;
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::vector<unsigned char> binary(size);
  unsigned char* to = binary.data();
  size_t reported = 0;
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, &reported));
  EXPECT_EQ(sizeof to, reported);
  return binary;
}

Event launch(cl_command_queue queue, cl_kernel kernel, cl_mem out, const std::vector<int>& numbers,
             size_t items, const std::vector<cl_event>& wait) {
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof out, &out));
  for (cl_uint i = 0; i < numbers.size(); ++i)
    EXPECT_OK(clSetKernelArg(kernel, i + 1, sizeof(int), &numbers[i]));
  Event event;
  const size_t group = 64;
  EXPECT_OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group,
                                   static_cast<cl_uint>(wait.size()),
                                   wait.empty() ? nullptr : wait.data(), event.out()));
  return event;
}
Event user_event(cl_context context) {
  cl_int err = CL_SUCCESS;
  Event event(clCreateUserEvent(context, &err));
  EXPECT_OK(err);
  return event;
}

std::vector<int> contents(cl_command_queue queue, cl_mem buffer, size_t count) {
  std::vector<int> data(count, -1);
  EXPECT_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(int), data.data(), 0,
                                nullptr, nullptr));
  return data;
}

void ApiTest::SetUp() {
  ASSERT_NE(nullptr, platform()) << "no platform to test; is OCL_ICD_VENDORS set?";
  ASSERT_NE(nullptr, device());
  context_ = make_context();
  queue_ = make_queue(context_, CL_QUEUE_PROFILING_ENABLE);
}

Kernel ApiTest::kernel(const char* name) {
  if (!program_) program_ = build(context_, kKernels, "-cl-std=CL3.0");
  return make_kernel(program_, name);
}

}  // namespace conclave::test
