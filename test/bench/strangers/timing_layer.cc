// SPDX-License-Identifier: Apache-2.0
// The layer stands between a program and the OpenCL implementation, by the loader's variable
// OPENCL_LAYERS. It gives every queue profiling, remembers the events of launches, and writes the
// times to the file CONCLAVE_BENCH_TIMES when the process ends. A program that asks for a type of
// device that the implementation does not have, such as a GPU, gets what there is.
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "launch_times.h"

namespace {

cl_icd_dispatch implementation;
cl_icd_dispatch layer;

// Never destroyed: a program's own exit handlers may still launch kernels.
bench::LaunchTimes& times() {
  static bench::LaunchTimes& all = *new bench::LaunchTimes(implementation);
  return all;
}

void write_times() {
  if (const char* path = std::getenv("CONCLAVE_BENCH_TIMES")) times().write(path);
}

// Adds the time until the end of its scope to that of the builds.
class BuildTimer {
 public:
  ~BuildTimer() {
    times().add_build(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint count,
                               cl_device_id* devices, cl_uint* found) {
  const cl_int status = implementation.clGetDeviceIDs(platform, type, count, devices, found);
  if (status != CL_DEVICE_NOT_FOUND) return status;
  return implementation.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, found);
}

cl_context CL_API_CALL create_context_from_type(const cl_context_properties* properties,
                                                cl_device_type type,
                                                void(CL_CALLBACK* notify)(const char*, const void*,
                                                                          size_t, void*),
                                                void* user_data, cl_int* status) {
  cl_int result = CL_SUCCESS;
  const auto create = implementation.clCreateContextFromType;
  cl_context context = create(properties, type, notify, user_data, &result);
  if (result == CL_DEVICE_NOT_FOUND)
    context = create(properties, CL_DEVICE_TYPE_ALL, notify, user_data, &result);
  if (status != nullptr) *status = result;
  return context;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* status) {
  return implementation.clCreateCommandQueue(context, device,
                                             properties | CL_QUEUE_PROFILING_ENABLE, status);
}

cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                               const cl_queue_properties* properties,
                                               cl_int* status) {
  std::vector<cl_queue_properties> profiled;
  cl_queue_properties flags = CL_QUEUE_PROFILING_ENABLE;
  for (; properties != nullptr && *properties != 0; properties += 2) {
    if (properties[0] == CL_QUEUE_PROPERTIES)
      flags |= properties[1];
    else
      profiled.insert(profiled.end(), {properties[0], properties[1]});
  }
  profiled.insert(profiled.end(), {CL_QUEUE_PROPERTIES, flags, 0});
  return implementation.clCreateCommandQueueWithProperties(context, device, profiled.data(),
                                                           status);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                 const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                 void* user_data) {
  const BuildTimer timer;
  return implementation.clBuildProgram(program, count, devices, options, notify, user_data);
}

cl_int CL_API_CALL compile_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                   const char* options, cl_uint header_count,
                                   const cl_program* headers, const char** header_names,
                                   void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
  const BuildTimer timer;
  return implementation.clCompileProgram(program, count, devices, options, header_count, headers,
                                         header_names, notify, user_data);
}

cl_program CL_API_CALL link_program(cl_context context, cl_uint count, const cl_device_id* devices,
                                    const char* options, cl_uint input_count,
                                    const cl_program* inputs,
                                    void(CL_CALLBACK* notify)(cl_program, void*), void* user_data,
                                    cl_int* status) {
  const BuildTimer timer;
  return implementation.clLinkProgram(context, count, devices, options, input_count, inputs, notify,
                                      user_data, status);
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
  const BuildTimer timer;
  return implementation.clCreateKernel(program, name, status);
}

std::string name_of(cl_kernel kernel) {
  char name[256] = "";
  implementation.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return name;
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint wait_count, const cl_event* waits, cl_event* event) {
  cl_event launch = nullptr;
  const cl_int status = implementation.clEnqueueNDRangeKernel(
      queue, kernel, dimensions, offset, global, local, wait_count, waits, &launch);
  if (status != CL_SUCCESS) return status;
  if (event != nullptr) {
    implementation.clRetainEvent(launch);
    *event = launch;
  }
  times().add_launch(name_of(kernel), launch);
  return status;
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  const size_t one = 1;
  return enqueue_kernel(queue, kernel, 1, nullptr, &one, &one, wait_count, waits, event);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size,
                                                                 void* value, size_t* size_ret) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr) {
    if (size < sizeof version) return CL_INVALID_VALUE;
    std::memcpy(value, &version, sizeof version);
  }
  if (size_ret != nullptr) *size_ret = sizeof version;
  return CL_SUCCESS;
}

[[gnu::visibility("default")]] cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                              const cl_icd_dispatch* target,
                                                              cl_uint* entries_ret,
                                                              const cl_icd_dispatch** result) {
  if (target == nullptr || entries_ret == nullptr || result == nullptr) return CL_INVALID_VALUE;
  // A loader may know fewer functions than these headers, never those that change here.
  const size_t known = std::min(size_t{entries}, sizeof implementation / sizeof(void*));
  std::memcpy(&implementation, target, known * sizeof(void*));
  layer = implementation;
  layer.clGetDeviceIDs = get_devices;
  layer.clCreateContextFromType = create_context_from_type;
  layer.clCreateCommandQueue = create_queue;
  layer.clCreateCommandQueueWithProperties = create_queue_with;
  layer.clBuildProgram = build_program;
  layer.clCompileProgram = compile_program;
  layer.clLinkProgram = link_program;
  layer.clCreateKernel = create_kernel;
  layer.clEnqueueNDRangeKernel = enqueue_kernel;
  layer.clEnqueueTask = enqueue_task;
  *entries_ret = static_cast<cl_uint>(known);
  *result = &layer;
  times();
  return std::atexit(write_times) == 0 ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

}  // extern "C"
