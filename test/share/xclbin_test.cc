// SPDX-License-Identifier: Apache-2.0
// Xclbins and processes: the diagram of seven processes in XRT's documentation, with XRT's C
// interface and with OpenCL, and the others when one of them dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/common/worker_tests.h"
#include "xclbin_fixture.h"

namespace conclave::test {
namespace {

// One process of the diagram: what it does until it holds its context, and what then.
struct Part {
  Steps before, after;
};

// The processes that succeed. `p4`: the compute unit of process 4, of which text and diagram say
// different things.
std::vector<Part> parts(const std::string& p4) {
  const auto part = [](bool loads, const std::string& unit) {
    Part part{{"open"}, {"exec " + unit, "wait", "uncontext X " + unit, "close"}};
    if (loads) part.before.push_back("load X");
    part.before.push_back("context X " + unit + " shared");
    return part;
  };
  return {part(true, "0"), part(false, "0"), part(false, "1"), part(true, "0"), part(true, p4)};
}

enum class Reading { kDiagram, kText };

class SevenProcesses : public Xclbins, public testing::WithParamInterface<Reading> {
 protected:
  std::string unit_of_p4() const { return GetParam() == Reading::kDiagram ? "1" : "0"; }
  static int rounds() {
    const char* rounds = getenv("CONCLAVE_DIAGRAM_ROUNDS");
    return rounds ? std::stoi(rounds) : 5;
  }
};
INSTANTIATE_TEST_SUITE_P(, SevenProcesses, testing::Values(Reading::kDiagram, Reading::kText),
                         [](const auto& reading) {
                           return reading.param == Reading::kDiagram ? "diagram" : "text";
                         });

TEST_P(SevenProcesses, EndAsTheDocumentationSays) {
  std::vector<std::unique_ptr<WorkerProcess>> p;
  for (int i = 0; i < 7; ++i) p.push_back(start("xcl"));
  const std::vector<Part> parts = test::parts(unit_of_p4());
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (size_t i = 0; i < parts.size(); ++i) expect_steps(*p[i], parts[i].before);
    // All at once from here on: these five run their commands, meanwhile the others fail.
    for (size_t i = 0; i < parts.size(); ++i) p[i]->send(parts[i].after[0]);
    expect_steps(*p[5], {"open"});
    p[5]->send("load Y");
    expect_steps(*p[6], {"open"});
    p[6]->send("load X");
    EXPECT_EQ(p[5]->receive(), std::to_string(-EBUSY));
    EXPECT_EQ(p[6]->receive(), "0");
    if (GetParam() == Reading::kDiagram)
      EXPECT_EQ(step(*p[6], "context Y 0 shared"), -EBUSY);
    else
      expect_steps(*p[6], {"context X 0 shared", "exec 0", "wait", "uncontext X 0"});
    expect_steps(*p[5], {"close"});
    expect_steps(*p[6], {"close"});
    for (size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(p[i]->receive(), "0");
    for (size_t i = 0; i < parts.size(); ++i)
      expect_steps(*p[i], {parts[i].after.begin() + 1, parts[i].after.end()});
    // Nobody holds it any more.
    expect_steps(*p[5], {"open", "load Y", "close"});
  }
}

// Each of the five dies after each of its steps; the others notice nothing.
TEST_P(SevenProcesses, DeathAfterEachStep) {
  const std::vector<Part> parts = test::parts(unit_of_p4());
  auto other = start("xcl");
  for (size_t victim = 0; victim < parts.size(); ++victim) {
    const Part& fatal = parts[victim];
    for (size_t last = 0; last < fatal.before.size() + fatal.after.size(); ++last) {
      SCOPED_TRACE("death of process " + std::to_string(victim) + " after step " +
                   std::to_string(last));
      std::vector<std::unique_ptr<WorkerProcess>> p;
      for (size_t i = 0; i < parts.size(); ++i) p.push_back(start("xcl"));
      for (size_t i = 0; i < parts.size(); ++i) {
        if (i != victim) {
          expect_steps(*p[i], parts[i].before);
          continue;
        }
        const size_t steps = std::min(last + 1, fatal.before.size());
        // Somebody has to load the xclbin for those that do not.
        if (i > 0 || last > 0)
          expect_steps(*p[i], {fatal.before.begin(), fatal.before.begin() + long(steps)});
        if (last == 0 && i == 0) expect_steps(*other, {"open", "load X", "close"});
        if (last < fatal.before.size()) p[i]->signal(SIGKILL);
      }
      if (last >= fatal.before.size()) {
        expect_steps(*p[victim], {fatal.after.begin(),
                                  fatal.after.begin() + long(last - fatal.before.size()) + 1});
        p[victim]->signal(SIGKILL);
      }
      p[victim]->wait();
      for (size_t i = 0; i < parts.size(); ++i)
        if (i != victim) expect_steps(*p[i], {parts[i].after.begin(), parts[i].after.end() - 1});
      expect_steps(*other, {"open", "load Y", "close"});
      for (size_t i = 0; i < parts.size(); ++i)
        if (i != victim) p[i]->send("end");
    }
  }
}

TEST_F(Xclbins, FailuresNameTheHolder) {
  auto holder = start("xcl"), other = start("xcl");
  expect_steps(*holder, {"open", "load X", "context X 0 exclusive"});
  EXPECT_EQ(step(*other, "open"), 0);
  EXPECT_EQ(step(*other, "load Y"), -EBUSY);
  const std::string me = "process " + std::to_string(holder->pid()) + " (";
  std::string text = ask(*other, "error");
  EXPECT_NE(text.find("Device Busy"), std::string::npos) << text;
  EXPECT_NE(text.find(me), std::string::npos) << text;
  EXPECT_NE(text.find("--role=xcl"), std::string::npos) << text;
  EXPECT_NE(text.find("since 20"), std::string::npos) << text;
  EXPECT_EQ(step(*other, "context X 0 shared"), -EBUSY);
  text = ask(*other, "error");
  EXPECT_NE(text.find("vadd:vadd_1"), std::string::npos) << text;
  EXPECT_NE(text.find(me), std::string::npos) << text;
}

TEST_F(Xclbins, ErrorNumbers) {
  auto p = start("xcl"), other = start("xcl");
  EXPECT_EQ(step(*p, "load X"), -ENODEV);
  expect_steps(*p, {"open"});
  EXPECT_EQ(step(*p, "context X 0 shared"), -EBUSY);  // nothing is loaded
  expect_steps(*p, {"load X"});
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);  // without any context
  EXPECT_EQ(step(*p, "context Y 0 shared"), -EBUSY);
  EXPECT_EQ(step(*p, "context X 2 shared"), -EINVAL);  // there are two
  EXPECT_EQ(step(*p, "uncontext X 0"), -EINVAL);
  expect_steps(*p, {"context X 0 shared", "context X 0 shared"});
  EXPECT_EQ(step(*p, "context X 0 exclusive"), -EINVAL);
  EXPECT_EQ(step(*p, "exec 1"), -EINVAL);  // not one of its contexts
  EXPECT_EQ(step(*p, "uncontext Y 0"), -EBUSY);
  expect_steps(*p, {"exec 0", "wait", "uncontext X 0", "exec 0", "wait"});
  EXPECT_EQ(step(*p, "load Y"), -EBUSY);  // its own context is still open
  expect_steps(*p, {"uncontext X 0"});
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);
  expect_steps(*p, {"load Y", "context Y 4294967295 shared"});  // the xclbin alone
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);
  expect_steps(*other, {"open", "load Y"});
  EXPECT_EQ(step(*other, "load X"), -EBUSY);
  expect_steps(*p, {"uncontext Y 4294967295"});
  expect_steps(*other, {"load X", "context X 1 exclusive"});
  expect_steps(*p, {"context X 0 exclusive"});
  EXPECT_EQ(step(*p, "context X 1 shared"), -EBUSY);
}

TEST_F(Xclbins, ForkedChildrenHaveNothing) {
  auto p = start("xcl"), other = start("xcl");
  expect_steps(*p, {"open", "load X", "context X 0 shared", "exec 0", "wait"});
  for (const char* line : {"load X", "context X 1 shared", "uncontext X 0", "again", "wait"})
    EXPECT_EQ(step(*p, std::string("fork ") + line), -ENODEV) << line;
  EXPECT_EQ(step(*p, "fork open"), -1);
  expect_steps(*p, {"fork close"});
  // The parent has its context still.
  expect_steps(*other, {"open"});
  EXPECT_EQ(step(*other, "load Y"), -EBUSY);
  expect_steps(*p, {"exec 0", "wait"});
}

TEST_F(Xclbins, WaitingInsteadOfFailing) {
  auto holder = start("xcl");
  auto waiter = start("xcl", {"CONCLAVE_XCLBIN_WAIT_MS=20000"});
  auto hasty = start("xcl", {"CONCLAVE_XCLBIN_WAIT_MS=100"});
  expect_steps(*holder, {"open", "load X", "context X 0 shared"});
  expect_steps(*hasty, {"open"});
  const int64_t start_ns = now_ns();
  EXPECT_EQ(step(*hasty, "load Y"), -EBUSY);
  EXPECT_GE(now_ns() - start_ns, 95'000'000);
  EXPECT_NE(ask(*hasty, "error").find("waited"), std::string::npos);
  expect_steps(*waiter, {"open"});
  waiter->send("load Y");
  sleep_until(now_ns() + 50'000'000);
  expect_steps(*holder, {"uncontext X 0"});
  EXPECT_EQ(waiter->receive(), "0");
  // A holder that dies lets go, too.
  expect_steps(*holder, {"context Y 0 exclusive"});
  waiter->send("context Y 0 exclusive");
  sleep_until(now_ns() + 50'000'000);
  holder->signal(SIGKILL);
  EXPECT_EQ(waiter->receive(), "0");
}

// multiprocess=false: EPERM, not EBUSY.
TEST_F(Xclbins, DeviceHeldAlone) {
  const std::string ini = testing::TempDir() + "conclave-xrt-" + std::to_string(getpid()) + ".ini";
  FILE* file = fopen(ini.c_str(), "w");
  ASSERT_TRUE(file);
  fputs("[Runtime]\nmultiprocess=false\n", file);
  fclose(file);
  {
    auto alone = start("xcl", {"XRT_INI_PATH=" + ini}), other = start("xcl");
    expect_steps(*alone, {"open", "load X", "context X 0 shared"});
    expect_steps(*other, {"open"});
    EXPECT_EQ(step(*other, "load Y"), -EPERM);
    EXPECT_EQ(step(*other, "load X"), -EPERM);
    EXPECT_EQ(step(*other, "context X 0 shared"), -EPERM);
    EXPECT_NE(ask(*other, "error").find(std::to_string(alone->pid())), std::string::npos);
    expect_steps(*alone, {"uncontext X 0", "close"});
    expect_steps(*other, {"load Y", "context Y 0 shared"});
    expect_steps(*alone, {"open"});
    EXPECT_EQ(step(*alone, "load Y"), -EPERM);
  }
  remove(ini.c_str());
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::xclbin_roles());
}
