// SPDX-License-Identifier: Apache-2.0
// Xclbins between users, with the daemon in between.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/common/daemon_process.h"
#include "xclbin_fixture.h"

namespace conclave::test {
namespace {

class XclbinsOfUsers : public Xclbins {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    start_daemon();
  }
  void start_daemon(const std::string& json = "{}") {
    daemon_.reset();
    daemon_ = std::make_unique<DaemonProcess>(segment_.name(), json);
  }
  std::unique_ptr<WorkerProcess> start_user(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings = more;
    settings.push_back(kEachAnotherUser);
    auto user = start("xcl", settings);
    expect_steps(*user, {"open"});
    return user;
  }
  // Both do it at the same time.
  static std::array<int, 2> both(WorkerProcess& first, const std::string& one,
                                 WorkerProcess& second, const std::string& other) {
    first.send(one);
    second.send(other);
    return {std::stoi(first.receive()), std::stoi(second.receive())};
  }

  std::unique_ptr<DaemonProcess> daemon_;
};

TEST_F(XclbinsOfUsers, ShareTheDevicesXclbin) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*b, "load Y"), -EBUSY);
  EXPECT_NE(ask(*b, "error").find("another user"), std::string::npos) << ask(*b, "error");
  expect_steps(*b, {"load X", "context X 0 shared", "exec 0", "wait", "context X 1 exclusive"});
  EXPECT_EQ(step(*a, "context X 1 shared"), -EBUSY);
  EXPECT_NE(ask(*a, "error").find("another user"), std::string::npos) << ask(*a, "error");
  expect_steps(*b, {"uncontext X 1"});
  expect_steps(*a, {"exec 0", "wait", "context X 1 shared", "uncontext X 1", "uncontext X 0"});
  EXPECT_EQ(step(*a, "load Y"), -EBUSY);
  expect_steps(*b, {"uncontext X 0", "load Y"});
  EXPECT_EQ(step(*a, "context X 0 shared"), -EBUSY);  // the xclbin has been replaced
  expect_steps(*a, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*b, "context Y 0 shared"), -EBUSY);
}

TEST_F(XclbinsOfUsers, WhoDiesLeavesTheXclbinToOthers) {
  auto a = start_user(), b = start_user({"CONCLAVE_XCLBIN_WAIT_MS=5000"});
  expect_steps(*a, {"load X", "context X 0 exclusive"});
  b->send("load Y");
  sleep_until(now_ns() + 50'000'000);
  a->signal(SIGKILL);
  EXPECT_EQ(b->receive(), "0");
  expect_steps(*b, {"context Y 0 exclusive", "exec 0", "wait"});
}

TEST_F(XclbinsOfUsers, OneOfTwoAtTheSameTime) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X"});
  expect_steps(*b, {"load X"});
  int someone = 0;
  for (int round = 0; round < 200; ++round) {
    const auto [first, second] = both(*a, "context X 0 exclusive", *b, "context X 0 exclusive");
    EXPECT_TRUE(first != 0 || second != 0) << "both have the unit alone";
    someone += first == 0 || second == 0;
    if (first == 0) expect_steps(*a, {"uncontext X 0"});
    if (second == 0) expect_steps(*b, {"uncontext X 0"});
  }
  EXPECT_GT(someone, 100);
  for (int round = 0; round < 100; ++round) {
    both(*a, "load X", *b, "load Y");
    const auto [first, second] = both(*a, "context X 0 shared", *b, "context Y 0 shared");
    EXPECT_TRUE(first != 0 || second != 0) << "two xclbins on one device";
    if (first == 0) expect_steps(*a, {"uncontext X 0"});
    if (second == 0) expect_steps(*b, {"uncontext Y 0"});
  }
}

// The daemon may come, stop and go.
TEST_F(XclbinsOfUsers, WithoutAnAnswer) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X", "context X 0 shared"});
  send_signal(daemon_->pid(), SIGSTOP);
  const uint64_t before = now_ns();
  EXPECT_EQ(step(*b, "load Y"), 0);
  EXPECT_EQ(step(*b, "context Y 0 shared"), 0);
  EXPECT_LT(now_ns() - before, 5'000'000'000u);
  expect_steps(*b, {"exec 0", "wait", "uncontext Y 0"});
  kill(daemon_->pid(), SIGCONT);
  for (int i = 0; i < 100 && step(*b, "load Y") == 0; ++i) sleep_until(now_ns() + 10'000'000);
  EXPECT_EQ(step(*b, "load Y"), -EBUSY);
  kill(daemon_->pid(), SIGKILL);
  EXPECT_EQ(step(*b, "load Y"), 0);
}

TEST_F(XclbinsOfUsers, OneHasTheDeviceAlone) {
  const TemporaryDirectory settings;
  const std::string ini = settings.file("xrt.ini");
  std::ofstream(ini) << "[Runtime]\nmultiprocess=false\n";
  std::filesystem::permissions(settings.path(), std::filesystem::perms(0755));
  {
    auto alone = start_user({"XRT_INI_PATH=" + ini}), other = start_user();
    expect_steps(*alone, {"load X", "context X 0 shared"});
    expect_steps(*other, {"load X", "context X 1 shared"});  // as the configuration has it
  }
  start_daemon(R"({"exclude-other-users": "true"})");
  auto alone = start_user({"XRT_INI_PATH=" + ini}), other = start_user();
  expect_steps(*alone, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*other, "load X"), -EPERM);
  EXPECT_NE(ask(*other, "error").find("another user"), std::string::npos) << ask(*other, "error");
  expect_steps(*alone, {"uncontext X 0", "close"});
  expect_steps(*other, {"load X", "context X 0 shared"});
  expect_steps(*alone, {"open"});
  EXPECT_EQ(step(*alone, "load X"), -EPERM);
  other->signal(SIGKILL);
  for (int i = 0; i < 100 && step(*alone, "load X") != 0; ++i) sleep_until(now_ns() + 10'000'000);
  expect_steps(*alone, {"context X 0 shared"});
}

}  // namespace
}  // namespace conclave::test
