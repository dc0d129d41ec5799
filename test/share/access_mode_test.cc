// SPDX-License-Identifier: Apache-2.0
// Access modes between processes: each cell of the tables in docs/access-modes.md, the fate of
// them when somebody dies, forks or waits, between users, and from OpenCL.
#include <CL/cl.h>
#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "access_roles.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_directory.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

class AccessModesTest : public testing::Test {
 protected:
  std::unique_ptr<WorkerProcess> start(const std::vector<std::string>& more = {},
                                       const std::string& role = "access") const {
    // The first of two settings of a variable counts.
    std::vector<std::string> settings = more;
    settings.insert(settings.end(), {segment_.setting(), "CONCLAVE_COMPUTE_UNITS=2",
                                     "XDG_RUNTIME_DIR=" + runtime_.path()});
    return std::make_unique<WorkerProcess>(role, Arguments{}, settings);
  }
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  static int step(WorkerProcess& worker, const std::string& line) {
    return std::stoi(ask(worker, line));
  }
  static void expect_steps(WorkerProcess& worker, const std::vector<std::string>& steps) {
    for (const std::string& line : steps) {
      const int error = step(worker, line);
      EXPECT_EQ(error, 0) << line << ": " << ask(worker, "error");
    }
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  TemporarySegment segment_{".access"};
  TemporaryDirectory runtime_;
};

class AccessModesOfProcesses : public AccessModesTest {};

// --- The rules ---

// A request, where something is open already, or nothing ("-").
struct Cell {
  std::string open, wanted;
  int same_process, other_process;  // what the request ends with
};

const std::vector<Cell> kArrayRules = {
    {"-", "exclusive", 0, 0},
    {"-", "primary", 0, 0},
    {"-", "shared", 0, 0},
    {"exclusive", "exclusive", EBUSY, EBUSY},
    {"exclusive", "primary", EBUSY, EBUSY},
    {"exclusive", "shared", EBUSY, EBUSY},
    {"primary", "exclusive", EBUSY, EBUSY},
    {"primary", "primary", EBUSY, EBUSY},
    {"primary", "shared", 0, 0},
    {"shared", "exclusive", EBUSY, EBUSY},
    {"shared", "primary", 0, 0},
    {"shared", "shared", 0, 0},
};
const std::vector<Cell> kGraphRules = {
    {"-", "exclusive", 0, 0},
    {"-", "primary", 0, 0},
    {"-", "shared", 0, 0},
    {"exclusive", "exclusive", EINVAL, EBUSY},
    {"exclusive", "primary", EINVAL, EBUSY},
    {"exclusive", "shared", EINVAL, EBUSY},
    {"primary", "exclusive", EINVAL, EBUSY},
    {"primary", "primary", EINVAL, EBUSY},
    {"primary", "shared", EINVAL, 0},
    {"shared", "exclusive", EINVAL, EBUSY},
    {"shared", "primary", EINVAL, 0},
    {"shared", "shared", EINVAL, 0},
};

// `prefix`: "array ", "graph X 0 "; `closing`: "unarray MODE", "ungraph 0".
void play(WorkerProcess& holder, WorkerProcess& other, const std::vector<Cell>& rules,
          const std::string& prefix,
          const std::function<std::string(const std::string&)>& closing) {
  const auto step = [](WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return std::stoi(worker.receive());
  };
  for (const Cell& cell : rules) {
    for (const std::string who : {"process", "thread", "other"}) {
      SCOPED_TRACE(prefix + cell.wanted + " by " + who + ", open: " + cell.open);
      if (cell.open != "-") {
        EXPECT_EQ(step(holder, prefix + cell.open), 0);
      }
      WorkerProcess& wants = who == "other" ? other : holder;
      const int expected = who == "other" ? cell.other_process : cell.same_process;
      EXPECT_EQ(step(wants, (who == "thread" ? "thread " : "") + prefix + cell.wanted), expected);
      if (expected == 0) {
        EXPECT_EQ(step(wants, closing(cell.wanted)), 0);
      }
      if (cell.open != "-") {
        EXPECT_EQ(step(holder, closing(cell.open)), 0);
      }
      // Nothing is left.
      EXPECT_EQ(step(other, prefix + "exclusive"), 0);
      EXPECT_EQ(step(other, closing("exclusive")), 0);
    }
  }
}

TEST_F(AccessModesOfProcesses, ArrayRules) {
  auto p = start(), q = start();
  play(*p, *q, kArrayRules, "array ", [](const std::string& mode) { return "unarray " + mode; });
}

TEST_F(AccessModesOfProcesses, GraphRules) {
  auto p = start(), q = start();
  expect_steps(*p, {"load X"});
  play(*p, *q, kGraphRules, "graph X 0 ", [](const std::string&) { return "ungraph 0"; });
}

TEST_F(AccessModesOfProcesses, ArrayIsOpenedAndClosedSeveralTimes) {
  auto p = start(), q = start();
  expect_steps(*p, {"array primary", "array shared", "array shared", "unarray primary"});
  expect_steps(*q, {"array primary", "unarray primary"});
  EXPECT_EQ(step(*q, "array exclusive"), EBUSY);
  expect_steps(*p, {"unarray shared"});
  EXPECT_EQ(step(*q, "array exclusive"), EBUSY);
  expect_steps(*p, {"unarray shared"});
  expect_steps(*q, {"array exclusive"});
  EXPECT_EQ(step(*p, "unarray shared"), EINVAL);
  EXPECT_EQ(step(*p, "unarray exclusive"), EINVAL);
}

TEST_F(AccessModesOfProcesses, GraphsAreClosedBeforeTheArray) {
  auto p = start(), q = start();
  expect_steps(*p, {"load X", "array primary", "graph X 0 primary", "graph X 1 shared"});
  EXPECT_EQ(step(*p, "unarray primary"), EBUSY);
  expect_in(ask(*p, "error"), "graph gr[0] (primary mode), graph gr[1] (shared mode)");
  EXPECT_EQ(step(*q, "array exclusive"), EBUSY);  // it is open still
  expect_steps(*p, {"ungraph 0", "ungraph 1"});
  EXPECT_EQ(step(*p, "ungraph 0"), EINVAL);
  expect_steps(*p, {"unarray primary", "array exclusive", "graph X 0 shared", "drop exclusive"});
  expect_steps(*q, {"array exclusive"});
  // A graph needs no open array.
  expect_steps(*q, {"graph X 1 exclusive"});
}

TEST_F(AccessModesOfProcesses, GraphsAreThoseOfTheResidentXclbin) {
  auto p = start(), q = start();
  EXPECT_EQ(step(*p, "graph X 0 shared"), EINVAL);
  expect_in(ask(*p, "error"), "graph gr[0] cannot be opened: no xclbin is loaded");
  expect_steps(*p, {"load X"});
  EXPECT_EQ(step(*p, "graph Y 0 shared"), EINVAL);
  EXPECT_EQ(step(*p, "graph X 256 shared"), EINVAL);
  expect_steps(*p, {"graph X 255 shared"});
  EXPECT_EQ(step(*q, "load Y"), EBUSY);
  expect_in(ask(*q, "error"), "process " + std::to_string(p->pid()) + " (");
  expect_steps(*q, {"load X"});
  expect_steps(*p, {"ungraph 255"});
  expect_steps(*q, {"load Y"});
  EXPECT_EQ(step(*p, "graph X 0 shared"), EINVAL);
}

TEST_F(AccessModesOfProcesses, RefusalsNameTheHolder) {
  auto p = start(), q = start();
  expect_steps(*p, {"load X", "array primary", "graph X 0 exclusive"});
  EXPECT_EQ(step(*q, "array exclusive"), EBUSY);
  const std::string holder = "in process " + std::to_string(p->pid()) + " (";
  std::string text = ask(*q, "error");
  expect_in(text, "the array is open in primary mode " + holder);
  expect_in(text, "--role=access");
  expect_in(text, "since 20");
  expect_in(text, "cannot be opened in exclusive mode");
  EXPECT_EQ(step(*q, "graph X 0 shared"), EBUSY);
  text = ask(*q, "error");
  expect_in(text, "graph gr[0] is open in exclusive mode " + holder);
  expect_in(text, "cannot be opened in shared mode");
}

// --- Permissions ---

TEST_F(AccessModesOfProcesses, WhatTheModesPermit) {
  const std::vector<std::string> looks = {"read", "read_nb", "get_timestamp"};
  const std::vector<std::string> changes = {"update", "update_nb", "reset",  "run",
                                            "wait",   "suspend",   "resume", "end"};
  const std::vector<std::string> array = {
      "reset_array",        "sync of a GMIO buffer", "wait for a GMIO buffer",
      "start of profiling", "read of profiling",     "stop of profiling"};
  auto p = start(), q = start();
  expect_steps(*p, {"load X"});
  for (const std::string mode : {"exclusive", "primary", "shared"}) {
    const int refusal = mode == "shared" ? EPERM : 0;
    expect_steps(*p, {"array " + mode, "graph X 0 " + mode});
    for (const std::string where : {"", "thread "}) {
      for (const std::string& name : looks) EXPECT_EQ(step(*p, where + "may 0 " + name), 0) << name;
      for (const std::string& name : changes)
        EXPECT_EQ(step(*p, where + "may 0 " + name), refusal) << mode << ' ' << name;
      for (const std::string& name : array)
        EXPECT_EQ(step(*p, where + "may array " + name), refusal) << mode << ' ' << name;
    }
    expect_steps(*p, {"ungraph 0", "unarray " + mode});
  }
  // The second of two processes, beside an owner.
  expect_steps(*p, {"graph X 0 primary"});
  expect_steps(*q, {"graph X 0 shared", "may 0 read"});
  EXPECT_EQ(step(*q, "may 0 run"), EPERM);
  expect_in(ask(*q, "error"),
            "graph gr[0] is open in shared mode, which does not permit this: run");
  expect_steps(*p, {"may 0 run"});
}

// A process that may only look does not replace an owner's xclbin; without an owner it may be
// first.
TEST_F(AccessModesOfProcesses, LoadsInSharedMode) {
  auto owner = start(), looker = start();
  expect_steps(*looker, {"array shared", "load X", "load Y", "load X"});
  expect_steps(*owner, {"array primary", "load X"});
  EXPECT_EQ(step(*looker, "load Y"), EPERM);
  expect_in(ask(*looker, "error"), "primary mode in process " + std::to_string(owner->pid()));
  expect_steps(*looker, {"load X"});
  expect_steps(*owner, {"load Y"});
}

// The sample of XRT's documentation: a process loads the xclbin for its kernels, its child owns the
// graph, its grandchild looks. Any of them may be first.
TEST_F(AccessModesOfProcesses, SampleOfTheDocumentation) {
  struct Part {
    std::vector<std::string> begin, end;
  };
  const std::vector<Part> parts = {
      {{"load X"}, {}},
      {{"array primary", "load X", "graph X 0 primary", "may 0 update", "may 0 run"},
       {"may 0 wait", "may 0 update", "may 0 run", "may 0 wait", "ungraph 0", "unarray primary"}},
      {{"array shared", "load X", "graph X 0 shared", "may 0 read"},
       {"may 0 read", "ungraph 0", "unarray shared"}}};
  std::array<size_t, 3> order = {0, 1, 2};
  do {
    SCOPED_TRACE("order " + std::to_string(order[0]) + std::to_string(order[1]) +
                 std::to_string(order[2]));
    std::vector<std::unique_ptr<WorkerProcess>> processes;
    for (size_t i = 0; i < parts.size(); ++i) processes.push_back(start());
    for (size_t i : order) expect_steps(*processes[i], parts[i].begin);
    EXPECT_EQ(step(*processes[2], "may 0 update"), EPERM);
    for (size_t i : order) expect_steps(*processes[i], parts[i].end);
  } while (std::next_permutation(order.begin(), order.end()));
}

// --- Death, forks, waiting ---

TEST_F(AccessModesOfProcesses, WhoDiesHasNothing) {
  auto survivor = start();
  expect_steps(*survivor, {"load X", "array shared", "graph X 1 shared"});
  for (const std::string mode : {"primary", "shared", "exclusive"}) {
    auto victim = start();
    if (mode != "exclusive") expect_steps(*victim, {"array " + mode});
    expect_steps(*victim, {"graph X 0 " + mode});
    victim->signal(SIGKILL);
    victim->wait();
    expect_steps(*survivor,
                 {"graph X 0 exclusive", "ungraph 0", "array primary", "unarray primary"});
  }
  auto other = start();
  EXPECT_EQ(step(*other, "load Y"), EBUSY);  // the survivor has its graph
  expect_steps(*survivor, {"may 1 read", "ungraph 1"});
  expect_steps(*other, {"load Y"});
}

TEST_F(AccessModesOfProcesses, ForkedChildrenHaveNothing) {
  auto p = start();
  expect_steps(*p, {"load X", "array primary", "graph X 0 exclusive"});
  EXPECT_EQ(step(*p, "fork may 0 run"), EINVAL);
  EXPECT_EQ(step(*p, "fork ungraph 0"), EINVAL);
  EXPECT_EQ(step(*p, "fork graph X 0 shared"), EBUSY);
  EXPECT_EQ(step(*p, "fork array primary"), EBUSY);
  expect_steps(*p, {"fork array shared", "may 0 run", "ungraph 0", "unarray primary"});
}

TEST_F(AccessModesOfProcesses, WaitingInsteadOfFailing) {
  auto holder = start();
  auto waiter = start({"CONCLAVE_XCLBIN_WAIT_MS=20000"});
  auto hasty = start({"CONCLAVE_XCLBIN_WAIT_MS=100"});
  expect_steps(*holder, {"load X", "array exclusive", "graph X 0 primary"});
  const int64_t begin = now_ns();
  EXPECT_EQ(step(*hasty, "array shared"), EBUSY);
  EXPECT_GE(now_ns() - begin, 95'000'000);
  expect_in(ask(*hasty, "error"), "waited");
  EXPECT_EQ(step(*hasty, "graph Y 0 shared"), EINVAL);  // no reason to wait
  waiter->send("graph X 0 primary");
  sleep_until(now_ns() + 50'000'000);
  expect_steps(*holder, {"ungraph 0"});
  EXPECT_EQ(waiter->receive(), "0");
  waiter->send("array primary");
  sleep_until(now_ns() + 50'000'000);
  holder->signal(SIGKILL);
  EXPECT_EQ(waiter->receive(), "0");
}

// multiprocess=false: EPERM, not EBUSY.
TEST_F(AccessModesOfProcesses, DeviceHeldAlone) {
  std::ofstream(runtime_.file("xrt.ini")) << "[Runtime]\nmultiprocess=false\n";
  auto alone = start({"XRT_INI_PATH=" + runtime_.file("xrt.ini")}, "opencl");
  EXPECT_EQ(step(*alone, "context"), CL_SUCCESS);
  auto p = start();
  EXPECT_EQ(step(*p, "array shared"), EPERM);
  expect_in(ask(*p, "error"), "process " + std::to_string(alone->pid()));
  EXPECT_EQ(step(*p, "graph X 0 shared"), EPERM);
}

// --- Several users ---

class AccessModesOfUsers : public AccessModesTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    daemon_ = std::make_unique<DaemonProcess>(segment_.name());
  }
  std::unique_ptr<WorkerProcess> start_user(std::vector<std::string> settings = {}) const {
    settings.push_back(kEachAnotherUser);
    return start(settings);
  }

  std::unique_ptr<DaemonProcess> daemon_;
};

TEST_F(AccessModesOfUsers, ArrayRules) {
  auto a = start_user(), b = start_user();
  for (const Cell& cell : kArrayRules) {
    if (cell.open == "-") continue;
    SCOPED_TRACE(cell.wanted + ", another user: " + cell.open);
    expect_steps(*a, {"array " + cell.open});
    EXPECT_EQ(step(*b, "array " + cell.wanted), cell.other_process);
    if (cell.other_process == 0)
      expect_steps(*b, {"unarray " + cell.wanted});
    else
      expect_in(ask(*b, "error"),
                "the array is open in " + cell.open + " mode in a process of another user");
    expect_steps(*a, {"unarray " + cell.open});
  }
}

TEST_F(AccessModesOfUsers, GraphRules) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X"});
  expect_steps(*b, {"load X"});
  for (const Cell& cell : kGraphRules) {
    if (cell.open == "-") continue;
    SCOPED_TRACE(cell.wanted + ", another user: " + cell.open);
    expect_steps(*a, {"graph X 3 " + cell.open});
    EXPECT_EQ(step(*b, "load Y"), EBUSY);
    EXPECT_EQ(step(*b, "graph X 3 " + cell.wanted), cell.other_process);
    if (cell.other_process == 0)
      expect_steps(*b, {"ungraph 3"});
    else
      expect_in(ask(*b, "error"),
                "graph gr[3] is open in " + cell.open + " mode in a process of another user");
    expect_steps(*b, {"graph X 4 exclusive", "ungraph 4"});
    expect_steps(*a, {"ungraph 3"});
  }
  expect_steps(*b, {"load Y"});
  EXPECT_EQ(step(*a, "graph X 3 shared"), EINVAL);  // the xclbin has been replaced
}

TEST_F(AccessModesOfUsers, OneOfTwoAtTheSameTime) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X"});
  expect_steps(*b, {"load X"});
  const std::array<std::array<std::string, 2>, 2> things = {
      {{"array primary", "unarray primary"}, {"graph X 0 primary", "ungraph 0"}}};
  for (const auto& [open, close] : things) {
    int someone = 0;
    for (int round = 0; round < 200; ++round) {
      a->send(open);
      b->send(open);
      const bool first = a->receive() == "0", second = b->receive() == "0";
      EXPECT_FALSE(first && second) << "there are two primary owners";
      someone += first || second;
      if (first) expect_steps(*a, {close});
      if (second) expect_steps(*b, {close});
    }
    EXPECT_GT(someone, 100);
  }
}

TEST_F(AccessModesOfUsers, WhoDiesHasNothing) {
  auto a = start_user(), b = start_user({"CONCLAVE_XCLBIN_WAIT_MS=5000"});
  expect_steps(*a, {"load X", "array exclusive", "graph X 0 primary"});
  b->send("array primary");
  sleep_until(now_ns() + 50'000'000);
  a->signal(SIGKILL);
  EXPECT_EQ(b->receive(), "0");
  expect_steps(*b, {"load Y", "graph Y 0 exclusive"});
}

// A primary owner of one user, and lookers of another one.
TEST_F(AccessModesOfUsers, LookersBesideAnOwner) {
  auto owner = start_user(), looker = start_user();
  expect_steps(*looker, {"array shared"});
  expect_steps(*owner, {"array primary", "load X"});
  EXPECT_EQ(step(*looker, "load Y"), EPERM);
  expect_in(ask(*looker, "error"), "a process of another user");
  expect_steps(*looker, {"load X", "graph X 0 shared"});
  expect_steps(*owner, {"graph X 0 primary", "array shared", "unarray primary"});
  // A process that is refused keeps what it had.
  EXPECT_EQ(step(*looker, "array exclusive"), EBUSY);
  expect_steps(*owner, {"array primary"});
  EXPECT_EQ(step(*looker, "array primary"), EBUSY);
  expect_steps(*owner, {"unarray primary", "ungraph 0", "unarray shared"});
  EXPECT_EQ(step(*owner, "array exclusive"), EBUSY);
}

// --- OpenCL ---

TEST_F(AccessModesOfProcesses, OpenClContexts) {
  auto p = start({}, "opencl"), q = start({}, "opencl"), xrt = start();
  EXPECT_EQ(step(*p, "context primary"), CL_SUCCESS);
  EXPECT_EQ(ask(*p, "mode"), std::to_string(CL_CONTEXT_ACCESS_MODE_CONCLAVE) + " 1 0 ");
  EXPECT_EQ(step(*q, "context primary"), CL_DEVICE_NOT_AVAILABLE);
  std::string told = ask(*q, "told");
  expect_in(told, "the array is open in primary mode in process " + std::to_string(p->pid()));
  EXPECT_EQ(step(*q, "context"), CL_SUCCESS);  // it does not have the array
  EXPECT_EQ(step(*q, "context shared"), CL_SUCCESS);
  EXPECT_EQ(step(*q, "context exclusive"), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(step(*p, "context primary"), CL_DEVICE_NOT_AVAILABLE);
  expect_in(ask(*p, "told"), "in this process");
  EXPECT_EQ(step(*xrt, "array primary"), EBUSY);
  expect_steps(*xrt, {"array shared", "unarray shared"});
  EXPECT_EQ(step(*p, "release"), CL_SUCCESS);
  expect_steps(*xrt, {"array primary", "unarray primary"});
  EXPECT_EQ(step(*q, "release"), CL_SUCCESS);
  EXPECT_EQ(step(*p, "context exclusive"), CL_SUCCESS);
  EXPECT_EQ(ask(*p, "mode"), std::to_string(CL_CONTEXT_ACCESS_MODE_CONCLAVE) + " 0 0 ");
  EXPECT_EQ(step(*xrt, "array shared"), EBUSY);
  p->signal(SIGKILL);
  p->wait();
  expect_steps(*xrt, {"array exclusive"});
}

TEST_F(AccessModesOfProcesses, OpenClPropertiesAreChecked) {
  auto p = start({}, "opencl");
  EXPECT_EQ(step(*p, "context 3"), CL_INVALID_PROPERTY);
  EXPECT_EQ(step(*p, "context -1"), CL_INVALID_PROPERTY);
  EXPECT_EQ(step(*p, "context shared shared"), CL_INVALID_PROPERTY);
  EXPECT_EQ(step(*p, "context shared"), CL_SUCCESS);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::access_roles());
}
