// SPDX-License-Identifier: Apache-2.0
// A fixture for command buffers: their functions, by their current declarations.
#ifndef CONCLAVE_TEST_API_COMMAND_BUFFER_TEST_H_
#define CONCLAVE_TEST_API_COMMAND_BUFFER_TEST_H_

#include "api_test.h"
#include "conclave/command_buffer_api.h"

namespace conclave::test {

namespace api = command_buffer_api;

// The functions that clGetExtensionFunctionAddressForPlatform returns.
struct CommandBufferFunctions {
#define FUNCTION(member, name)                                          \
  decltype(&api::name) member = reinterpret_cast<decltype(&api::name)>( \
      clGetExtensionFunctionAddressForPlatform(platform(), #name))
  FUNCTION(create, clCreateCommandBufferKHR);
  FUNCTION(finalize, clFinalizeCommandBufferKHR);
  FUNCTION(retain, clRetainCommandBufferKHR);
  FUNCTION(release, clReleaseCommandBufferKHR);
  FUNCTION(enqueue, clEnqueueCommandBufferKHR);
  FUNCTION(info, clGetCommandBufferInfoKHR);
  FUNCTION(remap, clRemapCommandBufferKHR);
  FUNCTION(update, clUpdateMutableCommandsKHR);
  FUNCTION(command_info, clGetMutableCommandInfoKHR);
  FUNCTION(barrier, clCommandBarrierWithWaitListKHR);
  FUNCTION(copy, clCommandCopyBufferKHR);
  FUNCTION(copy_rect, clCommandCopyBufferRectKHR);
  FUNCTION(copy_to_image, clCommandCopyBufferToImageKHR);
  FUNCTION(copy_image, clCommandCopyImageKHR);
  FUNCTION(copy_from_image, clCommandCopyImageToBufferKHR);
  FUNCTION(fill, clCommandFillBufferKHR);
  FUNCTION(fill_image, clCommandFillImageKHR);
  FUNCTION(launch, clCommandNDRangeKernelKHR);
  FUNCTION(svm_copy, clCommandSVMMemcpyKHR);
  FUNCTION(svm_fill, clCommandSVMMemFillKHR);
#undef FUNCTION
};

template <>
inline void Owned<cl_command_buffer_khr>::reset() {
  if (handle_) {
    EXPECT_OK(CommandBufferFunctions().release(handle_));
  }
  handle_ = nullptr;
}

class CommandBufferTest : public ApiTest {
 protected:
  using Recorded = Owned<cl_command_buffer_khr>;

  void SetUp() override {
    ApiTest::SetUp();
    // Functions of versions before 0.9.4 have other parameters.
    if (!f_.create || !f_.svm_copy) GTEST_SKIP() << "no command buffers, or an older version";
    out_of_order_ = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  Recorded make(cl_command_queue queue, cl_command_buffer_flags_khr flags = 0) {
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int code = -1;
    Recorded buffer(f_.create(1, &queue, flags ? list : nullptr, &code));
    EXPECT_OK(code);
    return buffer;
  }
  // Records `value` for the first 16 integers of `mem`.
  cl_sync_point_khr fill(cl_command_buffer_khr buffer, cl_mem mem, int value,
                         std::vector<cl_sync_point_khr> after = {}) {
    cl_sync_point_khr point = 0;
    EXPECT_OK(f_.fill(buffer, nullptr, nullptr, mem, &value, sizeof value, 0, 64,
                      static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                      &point, nullptr));
    return point;
  }
  // Records a launch of `kernel` over 16 work-items.
  cl_sync_point_khr launch(cl_command_buffer_khr buffer, cl_kernel kernel,
                           std::vector<cl_sync_point_khr> after = {},
                           cl_mutable_command_khr* handle = nullptr,
                           const api::cl_command_properties_khr* properties = nullptr) {
    const size_t items = 16;
    cl_sync_point_khr point = 0;
    EXPECT_OK(f_.launch(buffer, nullptr, properties, kernel, 1, nullptr, &items, nullptr,
                        static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                        &point, handle));
    return point;
  }
  void finalize(cl_command_buffer_khr buffer) { ASSERT_OK(f_.finalize(buffer)); }
  void replay(cl_command_buffer_khr buffer) {
    ASSERT_OK(f_.enqueue(0, nullptr, buffer, 0, nullptr, nullptr));
  }
  Kernel twice_plus(cl_mem mem, int amount) {
    Kernel k = kernel("twice_plus");
    EXPECT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), &mem));
    EXPECT_OK(clSetKernelArg(k, 1, sizeof amount, &amount));
    return k;
  }
  Buffer zeros() { return make_buffer(context_, std::vector<int>(16, 0)); }
  static std::vector<int> all(int value) { return std::vector<int>(16, value); }

  const CommandBufferFunctions f_;
  Queue out_of_order_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_COMMAND_BUFFER_TEST_H_
