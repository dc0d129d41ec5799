// SPDX-License-Identifier: Apache-2.0
// Programs that end too soon to get special code leave it to the processes that come after them.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
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

constexpr size_t kLocal = 40;

int run(size_t groups, int launches) {
  const size_t global = groups * kLocal;
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource);
  Kernel kernel = make_kernel(program, "shift");
  std::vector<int> data(global);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
  Buffer out = make_buffer(context, data);
  CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()) == CL_SUCCESS);
  CHECK(clSetKernelArg(kernel, 1, kLocal * sizeof(cl_int), nullptr) == CL_SUCCESS);
  // 40 steps in a group of 40 work-items lead back to where they began.
  for (int i = 0; i < launches; ++i)
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &kLocal, 0, nullptr,
                                 nullptr) == CL_SUCCESS);
  CHECK(contents(queue, out, global) == data);
  return 0;
}

// A few launches, which take more than the milliseconds after which the cache is asked.
CHILD_PROCESS(short_program) {
  const int status = run(800, 30);
  // The look into the cache is made in the background.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return status;
}

// Takes microseconds.
CHILD_PROCESS(one_launch) {
  return run(1, 1);
}

constexpr char kRuns[] = "local size 40,1,1: runs specialised code from";
constexpr char kRunsAtOnce[] = "local size 40,1,1: runs specialised code from its first launch on";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LaterProcessTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }

  // These processes alone never compute for long enough.
  std::string output_of(const std::string& program,
                        std::vector<std::pair<std::string, std::string>> environment = {}) {
    environment.emplace_back("CONCLAVE_SPECIALIZE_AFTER_MS", "1000000");
    environment.emplace_back("CONCLAVE_CACHE_DIR", cache_.path());
    environment.emplace_back("CONCLAVE_LOG", "debug");
    const ChildResult result = run_child(program, environment, 100);
    EXPECT_EQ(0, result.exit_status) << result.output;
    return result.output;
  }

  // Whether a short program tells of this at last, by the work of processes that were ordered.
  bool comes(const std::string& what = kRuns) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(80);
    while (std::chrono::steady_clock::now() < limit)
      if (output_of("short_program").find(what) != std::string::npos) return true;
    return false;
  }

  long entries() const {
    return std::distance(std::filesystem::directory_iterator(cache_.path()),
                         std::filesystem::directory_iterator());
  }

  TemporaryDirectory cache_;
};

TEST_F(LaterProcessTest, TheSecondOrdersCodeAndLaterOnesHaveItFromTheirFirstLaunch) {
  EXPECT_EQ(output_of("short_program").find(kRuns), std::string::npos);
  EXPECT_EQ(output_of("short_program").find(kRunsAtOnce), std::string::npos);
  ASSERT_TRUE(comes());
  EXPECT_NE(output_of("one_launch").find(kRunsAtOnce), std::string::npos);
}

TEST_F(LaterProcessTest, CodeThatTheCacheHasLostIsOrderedAgain) {
  output_of("short_program");
  output_of("short_program");
  ASSERT_TRUE(comes());
  for (const auto& entry : std::filesystem::directory_iterator(cache_.path()))
    if (read(entry.path()).find("conclave launch notes") == std::string::npos)
      std::filesystem::remove(entry.path());
  EXPECT_EQ(output_of("one_launch").find(kRuns), std::string::npos);
  EXPECT_TRUE(comes());
}

// None of them takes the time after which a process has other forms made for itself.
TEST_F(LaterProcessTest, ShortProgramsFindOutWhichFormIsTheFastest) {
  EXPECT_TRUE(comes(" take "));
}

TEST_F(LaterProcessTest, NothingIsLeftWhereItIsOff) {
  for (int i = 0; i < 2; ++i) output_of("short_program", {{"CONCLAVE_SPECIALIZE", "off"}});
  EXPECT_EQ(1, entries());
}

}  // namespace
}  // namespace conclave::test
