// SPDX-License-Identifier: Apache-2.0
// What tests of programs from SPIR-V have in common.
#ifndef CONCLAVE_TEST_API_SPIRV_TEST_H_
#define CONCLAVE_TEST_API_SPIRV_TEST_H_

#include <string>
#include <vector>

#include "api_test.h"
#include "test/common/to_spirv.h"

namespace conclave::test {

// Made of OpenCL C.
inline std::string spirv_of(const std::string& source, const std::string& options = "") {
  return to_spirv(CONCLAVE_TEST_CLOCL, source, options);
}

// Made of SPIR-V's text.
inline std::string assembled(const std::string& text, const std::string& version = "1.1") {
  return output_of("spirv-as --target-env spv" + version, text);
}

class SpirvTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (device_text(device(), CL_DEVICE_IL_VERSION).empty())
      GTEST_SKIP() << "llvm-spirv-15 or spirv-val is not installed";
    context_ = make_context();
    queue_ = make_queue(context_);
  }
  Program from_il(const std::string& module) {
    cl_int err = CL_SUCCESS;
    Program program(clCreateProgramWithIL(context_, module.data(), module.size(), &err));
    EXPECT_OK(err);
    return program;
  }
  Program built(const std::string& module, const char* options = "") {
    Program program = from_il(module);
    EXPECT_OK(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr)) << build_log(program);
    return program;
  }
  // What kernel k stores in its last argument, which has room for `count`; it gets `in` first, if
  // that is not empty. One work-group of `items` runs it.
  std::vector<int> results(cl_program program, size_t count, const std::vector<int>& in = {},
                           size_t items = 1) {
    Kernel k = make_kernel(program, "k");
    if (!k) return {};
    Buffer out = make_buffer(context_, std::vector<int>(count)), values;
    cl_uint index = 0;
    if (!in.empty()) {
      values = make_buffer(context_, in);
      EXPECT_OK(clSetKernelArg(k, index++, sizeof(cl_mem), values.list()));
    }
    EXPECT_OK(clSetKernelArg(k, index, sizeof(cl_mem), out.list()));
    EXPECT_OK(clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &items, &items, 0, nullptr, nullptr));
    return contents(queue_, out, count);
  }

  Context context_;
  Queue queue_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_SPIRV_TEST_H_
