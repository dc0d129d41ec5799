// SPDX-License-Identifier: Apache-2.0
// Programs that end too soon to get special code leave it to the processes that come after them.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api_test.h"
#include "child_process.h"
#include "test/common/temporary_directory.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
  kernel void shift(global int* out, local int* tile) {
    const size_t l = get_local_id(0), n = get_local_size(0);
    int x = out[get_global_id(0)];
    for (int step = 0; step < 40; ++step) {
      tile[l] = x;
      barrier(CLK_LOCAL_MEM_FENCE);
      x = tile[(l + 1) % n];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
  }
)";

// A few launches, which take more than the two milliseconds after which the cache is asked.
CHILD_PROCESS(short_program) {
  constexpr size_t kItems = 1 << 15, kLocal = 40;
  constexpr size_t kGlobal = kItems / kLocal * kLocal;
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource);
  Kernel kernel = make_kernel(program, "shift");
  std::vector<int> data(kGlobal);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
  Buffer out = make_buffer(context, data);
  CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()) == CL_SUCCESS);
  CHECK(clSetKernelArg(kernel, 1, kLocal * sizeof(cl_int), nullptr) == CL_SUCCESS);
  // 40 steps in a group of 40 work-items lead back to where they began.
  for (int i = 0; i < 30; ++i)
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kGlobal, &kLocal, 0, nullptr,
                                 nullptr) == CL_SUCCESS);
  CHECK(contents(queue, out, kGlobal) == data);
  // The look into the cache is made in the background.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return 0;
}

class LaterProcessTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }

  // These processes alone never compute for long enough.
  std::string output_of(std::vector<std::pair<std::string, std::string>> environment = {}) {
    environment.emplace_back("CONCLAVE_SPECIALIZE_AFTER_MS", "1000000");
    environment.emplace_back("CONCLAVE_CACHE_DIR", cache_.path());
    environment.emplace_back("CONCLAVE_LOG", "debug");
    const ChildResult result = run_child("short_program", environment, 100);
    EXPECT_EQ(0, result.exit_status) << result.output;
    return result.output;
  }

  long entries() const {
    return std::distance(std::filesystem::directory_iterator(cache_.path()),
                         std::filesystem::directory_iterator());
  }

  TemporaryDirectory cache_;
};

constexpr char kRuns[] = "local size 40,1,1: runs specialised code";

TEST_F(LaterProcessTest, TheSecondOrdersCodeAndAThirdHasIt) {
  EXPECT_EQ(output_of().find(kRuns), std::string::npos);
  output_of();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(80);
  bool has_it = false;
  while (!has_it && std::chrono::steady_clock::now() < limit)
    has_it = output_of().find(kRuns) != std::string::npos;
  EXPECT_TRUE(has_it);
}

TEST_F(LaterProcessTest, NothingIsLeftWhereItIsOff) {
  for (int i = 0; i < 2; ++i) output_of({{"CONCLAVE_SPECIALIZE", "off"}});
  EXPECT_EQ(1, entries());
}

}  // namespace
}  // namespace conclave::test
