// SPDX-License-Identifier: Apache-2.0
// A callback for contexts that keeps what it was told, and a fixture whose context has it.
#ifndef CONCLAVE_TEST_API_TOLD_H_
#define CONCLAVE_TEST_API_TOLD_H_

#include <CL/cl.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api_test.h"

namespace conclave::test {

// By any thread.
class Told {
 public:
  static void CL_CALLBACK add(const char* text, const void*, size_t, void* self) {
    const std::lock_guard lock(static_cast<Told*>(self)->mutex_);
    static_cast<Told*>(self)->texts_.emplace_back(text);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// For tests of what Conclave alone tells.
class ToldTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    const cl_device_id devices[] = {device()};
    cl_int error = CL_SUCCESS;
    queue_.reset();
    *context_.out() = clCreateContext(nullptr, 1, devices, Told::add, &told_, &error);
    ASSERT_OK(error);
    queue_ = make_queue(context_);
  }

  Told told_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_TOLD_H_
