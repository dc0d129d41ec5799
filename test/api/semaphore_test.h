// SPDX-License-Identifier: Apache-2.0
// The functions of cl_khr_semaphore and cl_khr_external_semaphore, as programs obtain them.
#ifndef CONCLAVE_TEST_API_SEMAPHORE_TEST_H_
#define CONCLAVE_TEST_API_SEMAPHORE_TEST_H_

#include <CL/cl_ext_conclave.h>

#include "api_test.h"

namespace conclave::test {

template <class Function>
Function extension_function(const char* name) {
  return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform(), name));
}
#define FUNCTION(name) name##_fn name = extension_function<name##_fn>(#name)

struct SemaphoreFunctions {
  FUNCTION(clCreateSemaphoreWithPropertiesKHR);
  FUNCTION(clEnqueueWaitSemaphoresKHR);
  FUNCTION(clEnqueueSignalSemaphoresKHR);
  FUNCTION(clGetSemaphoreInfoKHR);
  FUNCTION(clGetSemaphoreHandleForTypeKHR);
  FUNCTION(clRetainSemaphoreKHR);
  FUNCTION(clReleaseSemaphoreKHR);
};

class SemaphoreTest : public ApiTest, protected SemaphoreFunctions {
 protected:
  using Properties = std::vector<cl_semaphore_properties_khr>;
  using Function = clEnqueueWaitSemaphoresKHR_fn;  // or that which signals

  void SetUp() override {
    ApiTest::SetUp();
    if (!clCreateSemaphoreWithPropertiesKHR) GTEST_SKIP() << "no semaphores";
  }
  void TearDown() override {
    for (cl_semaphore_khr semaphore : made_) EXPECT_OK(clReleaseSemaphoreKHR(semaphore));
  }

  // With more properties than the type; `made_` releases it.
  cl_semaphore_khr make(const Properties& more = {}, cl_context context = nullptr) {
    Properties list = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR};
    list.insert(list.end(), more.begin(), more.end());
    list.push_back(0);
    cl_int err = 1;
    cl_semaphore_khr made =
        clCreateSemaphoreWithPropertiesKHR(context ? context : context_.get(), list.data(), &err);
    EXPECT_OK(err);
    if (made) made_.push_back(made);
    return made;
  }
  cl_semaphore_khr make_exportable() {
    return make({CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                 CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR});
  }
  int descriptor_of(cl_semaphore_khr semaphore) {
    int descriptor = -1;
    size_t size = 0;
    EXPECT_OK(clGetSemaphoreHandleForTypeKHR(semaphore, device(), CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                             sizeof descriptor, &descriptor, &size));
    EXPECT_EQ(sizeof descriptor, size);
    return descriptor;
  }
  cl_semaphore_khr import(int descriptor) {
    return make(
        {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, static_cast<cl_semaphore_properties_khr>(descriptor)});
  }

  static Event enqueue(Function function, cl_command_queue queue, cl_semaphore_khr semaphore,
                       const std::vector<cl_event>& wait = {}) {
    Event event;
    EXPECT_OK(function(queue, 1, &semaphore, nullptr, static_cast<cl_uint>(wait.size()),
                       wait.empty() ? nullptr : wait.data(), event.out()));
    return event;
  }
  Event wait_for(cl_command_queue queue, cl_semaphore_khr semaphore,
                 const std::vector<cl_event>& wait = {}) {
    return enqueue(clEnqueueWaitSemaphoresKHR, queue, semaphore, wait);
  }
  Event signal(cl_command_queue queue, cl_semaphore_khr semaphore,
               const std::vector<cl_event>& wait = {}) {
    return enqueue(clEnqueueSignalSemaphoresKHR, queue, semaphore, wait);
  }
  cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore) {
    return info<cl_semaphore_payload_khr>(clGetSemaphoreInfoKHR, semaphore,
                                          CL_SEMAPHORE_PAYLOAD_KHR);
  }

  std::vector<cl_semaphore_khr> made_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_SEMAPHORE_TEST_H_
