// SPDX-License-Identifier: Apache-2.0
// Kernels with much private memory: they run where that is possible, and only they fail where it
// is not.
#include <algorithm>
#include <string>

#include "api_test.h"
#include "told.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
  kernel void ordinary(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); }
  kernel void impossible(global int* out) {
    int x[1 << 28];
    for (int i = 0; i < 1 << 28; ++i) x[i] = out[i & 3];
    out[get_global_id(0)] = x[out[7]];
  }
  // 16 MiB, more than a thread's stack has.
  kernel void large(global int* out, int step, int where) {
    int x[1 << 22];
    for (int i = 0; i < 1 << 22; i += 1024) x[i] = i + (int)get_global_id(0);
    if (where == 1) *(volatile global int*)8 = 1;
    out[get_global_id(0)] = x[step * 1024];
  }
  // 16 MiB that live across a barrier.
  kernel void large_across_barrier(global int* out, int step) {
    int x[1 << 22];
    for (int i = 0; i < 1 << 22; i += 1024) x[i] = i + (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[step * 1024];
  }
  kernel void huge_across_barrier(global int* out, int step) {
    int x[50000000];
    for (int i = 0; i < 50000000; i += 10000) x[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[step * 10000];
  })";

class PrivateMemoryTest : public ToldTest {
 protected:
  void SetUp() override {
    ToldTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    program_ = build(context_, kSource);
    out_ = make_buffer(context_, std::vector<int>(kItems, 0));
  }

  cl_int enqueue(cl_kernel kernel, const size_t* local, Event& event) {
    return clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, local, 0, nullptr,
                                  event.out());
  }

  // Sets the arguments; returns the result of each work-item.
  std::vector<int> run(const char* name, std::vector<int> numbers, size_t local) {
    const Kernel kernel = make_kernel(program_, name);
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
    for (cl_uint i = 0; i < numbers.size(); ++i)
      EXPECT_OK(clSetKernelArg(kernel, i + 1, sizeof(int), &numbers[i]));
    Event event;
    EXPECT_OK(enqueue(kernel, local ? &local : nullptr, event));
    EXPECT_OK(clWaitForEvents(1, event.list()));
    return contents(queue_, out_, kItems);
  }

  static constexpr size_t kItems = 8;
  Buffer out_;
};

TEST_F(PrivateMemoryTest, TooMuchIsAnErrorOfThatKernelAlone) {
  const std::string why =
      "kernel 'impossible' cannot run: it needs 1073741824 bytes of private memory per work-item; "
      "at most 268435456 are possible";
  EXPECT_NE(std::string::npos, build_log(program_).find("warning: " + why)) << build_log(program_);
  const Kernel kernel = make_kernel(program_, "impossible");
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
  told_.take();
  Event event;
  EXPECT_CL(CL_OUT_OF_RESOURCES, enqueue(kernel, nullptr, event));
  const std::vector<std::string> texts = told_.take();
  ASSERT_EQ(1u, texts.size());
  EXPECT_NE(std::string::npos, texts[0].find(why)) << texts[0];
  EXPECT_EQ((std::vector<int>{0, 3, 6, 9, 12, 15, 18, 21}), run("ordinary", {}, 0));
}

TEST_F(PrivateMemoryTest, MoreThanAThreadsStack) {
  for (size_t local : {0, 1, 4}) {
    const std::vector<int> values = run("large", {7, 0}, local);
    for (size_t i = 0; i < kItems; ++i) EXPECT_EQ(7 * 1024 + static_cast<int>(i), values[i]);
  }
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_F(PrivateMemoryTest, FaultOnALargeStack) {
  const Kernel kernel = make_kernel(program_, "large");
  const int step = 1, fault = 1;
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof step, &step));
  EXPECT_OK(clSetKernelArg(kernel, 2, sizeof fault, &fault));
  Event event;
  EXPECT_OK(enqueue(kernel, nullptr, event));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
  EXPECT_EQ(2 * 1024 + 7, run("large", {2, 0}, 1)[7]);
}
#endif

TEST_F(PrivateMemoryTest, MuchAcrossBarriers) {
  for (size_t local : {0, 1, 8}) {
    const std::vector<int> values = run("large_across_barrier", {5}, local);
    EXPECT_EQ(5 * 1024, values[0]);
    if (local == 8) {
      EXPECT_EQ(5 * 1024 + 7, values[7]);
    }
  }
}

TEST_F(PrivateMemoryTest, WorkGroupsAreAsLargeAsMemoryAllows) {
  const Kernel kernel = make_kernel(program_, "huge_across_barrier");
  size_t most = 0;
  EXPECT_OK(clGetKernelWorkGroupInfo(kernel, device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                     &most, nullptr));
  EXPECT_GE(most, 1u);
  EXPECT_EQ(4 * 10000, run("huge_across_barrier", {4}, 1)[0]);
  const size_t more = most + 1;
  ASSERT_LT(more, 16384u);
  const int step = 1;
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof step, &step));
  EXPECT_CL(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &more, &more, 0, nullptr, nullptr));
  EXPECT_EQ(4 * 10000, run("huge_across_barrier", {4}, 0)[7]);
}

}  // namespace
}  // namespace conclave::test
