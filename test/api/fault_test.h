// SPDX-License-Identifier: Apache-2.0
// A program with kernels that fault and a healthy one, and what is expected of them.
#ifndef CONCLAVE_TEST_API_FAULT_TEST_H_
#define CONCLAVE_TEST_API_FAULT_TEST_H_

#include "api_test.h"
#include "told.h"

#include <CL/cl_ext_conclave.h>

#include <string>
#include <vector>

namespace conclave::test {

inline constexpr char kFaultSource[] = R"(
  int fault_in_c(int how, volatile global int* nothing);
  kernel void faulty(global int* out, int where, int how) {
    int i = get_global_id(0);
    volatile global int* wild = (volatile global int*)(ulong)(0x123456789000ul + i);
    if (i == where) {
      if (how == 1) *(volatile global int*)0 = 1;
      if (how == 2) *wild = 1;
      if (how == 3) __builtin_trap();
      if (how == 4) *(volatile global int*)(0x1234567890abcdeful) = 1;
      if (how == 5) out[i] = out[i + (1 << 26)];
    }
    out[i] = i;
  }
  kernel void faulty_between_barriers(global int* out, int where) {
    local int x[64];
    x[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == where) *(volatile global int*)0 = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[63 - get_local_id(0)];
  }
  kernel void beyond_local(global int* out, int far) {
    local volatile int x[64];
    for (int i = 0; i < far; ++i) x[i] = i;
    out[get_global_id(0)] = x[get_local_id(0)];
  }
  kernel void faulty_c(global int* out, int how) {
    out[get_global_id(0)] = fault_in_c(how, (volatile global int*)8);
  }
  kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); }
  kernel void wait_for_others(volatile global int* go) {
    if (get_group_id(0) == 0) *(volatile global int*)0 = 1;
    while (*go == 0) {}
  })";

class FaultTest : public ToldTest {
 protected:
  void SetUp() override {
    ToldTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    program_ = build(context_, kFaultSource, CONCLAVE_TEST_PLAIN_OBJECT);
    out_ = make_buffer(context_, std::vector<int>(kItems, -1));
  }
  Event enqueue(cl_command_queue queue, const char* name, std::vector<int> arguments,
                const std::vector<cl_event>& wait = {}) {
    return launch(queue, make_kernel(program_, name), out_, arguments, kItems, wait);
  }
  // The event tells of a fault, the callback was told `texts` once, and the queue goes on.
  void expect_fault(const Event& event, const std::vector<std::string>& texts) {
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    EXPECT_CL(CL_ERROR_KERNEL_FAULT_CONCLAVE, event_status(event));
    std::vector<std::string> told = told_.take();
    // The wait's own error is another matter.
    std::erase_if(told, [](const std::string& text) { return text.find("kernel '") == text.npos; });
    ASSERT_EQ(1u, told.size());
    for (const std::string& text : texts)
      EXPECT_NE(std::string::npos, told[0].find(text)) << "not '" << text << "' in: " << told[0];
    expect_healthy();
  }
  void expect_healthy() {
    const Event next = enqueue(queue_, "healthy", {});
    EXPECT_OK(clWaitForEvents(1, next.list()));
    const std::vector<int> values = contents(queue_, out_, kItems);
    for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(static_cast<int>(3 * i), values[i]);
  }

  static constexpr size_t kItems = 1 << 14;
  Buffer out_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_FAULT_TEST_H_
