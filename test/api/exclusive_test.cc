// SPDX-License-Identifier: Apache-2.0
// A process whose xrt.ini says multiprocess=false has the device alone.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

namespace fs = std::filesystem;

std::string g_told;
void CL_CALLBACK keep_text(const char* text, const void*, size_t, void*) {
  g_told = text;
}

// The code of clCreateContext; on success the context stays.
cl_int open_device() {
  cl_device_id d = device();
  cl_int code = 0;
  clCreateContext(nullptr, 1, &d, keep_text, nullptr, &code);
  return code;
}

CHILD_PROCESS(hold_device) {
  const char* ready = getenv("CONCLAVE_TEST_READY");
  CHECK(ready != nullptr);
  const cl_int code = open_device();
  std::ofstream(std::string(ready) + ".new") << code << ' ' << getpid() << '\n' << g_told << '\n';
  fs::rename(std::string(ready) + ".new", ready);
  for (int i = 0; i < 3000 && fs::exists(ready); ++i) usleep(10'000);
  return 0;
}

CHILD_PROCESS(try_device) {
  const cl_bool available = info<cl_bool>(clGetDeviceInfo, device(), CL_DEVICE_AVAILABLE);
  const cl_int code = open_device();
  std::fprintf(stderr, "available %d, code %d, told '%s'\n", available, code, g_told.c_str());
  return 0;
}

class ExclusiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    directory_ = fs::temp_directory_path() / ("conclave-exclusive." + std::to_string(getpid()));
    fs::create_directories(directory_);
    std::ofstream(alone()) << "[Runtime]\nmultiprocess=false\n";
    std::ofstream(shared()) << "[Runtime]\nmultiprocess=true\n";
  }
  void TearDown() override {
    for (pid_t child : holders_) {
      kill(child, SIGKILL);
      wait_for_child(child, 10);
    }
    fs::remove_all(directory_);
  }

  std::string alone() const { return directory_ / "alone.ini"; }
  std::string shared() const { return directory_ / "shared.ini"; }
  static std::string segment() { return "conclave-exclusive-test." + std::to_string(getpid()); }

  // Starts a process that opens the device, and waits until it has done so or failed. Returns what
  // it says.
  std::string hold(const std::string& ini) {
    const std::string ready = directory_ / ("ready" + std::to_string(holders_.size()));
    const std::string segment = ExclusiveTest::segment();
    const pid_t child = fork();
    if (child == 0) {
      setenv("XRT_INI_PATH", ini.c_str(), 1);
      setenv("CONCLAVE_SEGMENT", segment.c_str(), 1);
      setenv("CONCLAVE_TEST_READY", ready.c_str(), 1);
      execl("/proc/self/exe", "conclave_api_test", "--child=hold_device", nullptr);
      _exit(127);
    }
    holders_.push_back(child);
    EXPECT_TRUE(eventually([&] { return fs::exists(ready); }));
    std::ifstream file(ready);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string attempt(const std::string& ini) {
    return run_child("try_device", {{"XRT_INI_PATH", ini}, {"CONCLAVE_SEGMENT", segment()}}).output;
  }
  void kill_holder() {
    kill(holders_.back(), SIGKILL);
    wait_for_child(holders_.back(), 10);
    holders_.pop_back();
  }

  fs::path directory_;
  std::vector<pid_t> holders_;
};

const std::string kNotAvailable = "code " + std::to_string(CL_DEVICE_NOT_AVAILABLE);

TEST_F(ExclusiveTest, OthersAreToldWhoHoldsTheDeviceUntilThatOneDies) {
  ASSERT_EQ(0u, hold(alone()).find("0 "));
  const std::string pid = std::to_string(holders_.back());
  for (const std::string& ini : {shared(), alone()}) {
    const std::string told = attempt(ini);
    EXPECT_NE(std::string::npos, told.find("available 0, " + kNotAvailable)) << told;
    EXPECT_NE(std::string::npos, told.find("process " + pid)) << told;
    EXPECT_NE(std::string::npos, told.find("--child=hold_device")) << told;
  }
  kill_holder();
  EXPECT_NE(std::string::npos, attempt(shared()).find("available 1, code 0"));
}

TEST_F(ExclusiveTest, NobodyGetsAUsedDeviceAlone) {
  ASSERT_EQ(0u, hold(shared()).find("0 "));
  const std::string told = attempt(alone());
  EXPECT_NE(std::string::npos, told.find("available 1, " + kNotAvailable)) << told;
  EXPECT_NE(std::string::npos, told.find("process " + std::to_string(holders_.back()))) << told;
  EXPECT_NE(std::string::npos, attempt(shared()).find("code 0"));
  kill_holder();
  EXPECT_NE(std::string::npos, attempt(alone()).find("code 0"));
}

}  // namespace
}  // namespace conclave::test
