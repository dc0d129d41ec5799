// SPDX-License-Identifier: Apache-2.0
// `clocl --server` as a process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "test/unit/compiler/compile_server.h"

namespace conclave::test {
namespace {

using protocol::Request;
using protocol::Response;
using protocol::Status;

Request simple_request() {
  Request request;
  request.source = "kernel void k(global int* a) { a[0] = 1; }";
  return request;
}

// Takes the compiler much longer than any test lasts.
Request endless_request() {
  Request request;
  request.source =
      "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(x)))))))\n"
      "kernel void k(global int* a) { B(a[0] += a[1] * a[2];) }";
  return request;
}

// The processes whose parent is `pid`.
std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Server, ServesManyRequestsAtOnce) {
  CompileServer server;
  std::vector<int> connections;
  for (int i = 0; i < 6; ++i) connections.push_back(server.connect());
  for (int connection : connections) write_message(connection, protocol::encode(simple_request()));
  for (int connection : connections) {
    Response response = protocol::decode_response(read_message(connection));
    EXPECT_EQ(response.status, Status::kSuccess) << response.log;
    close(connection);
  }
}

// The less urgent a build is, the more it leaves to others.
TEST(Server, BuildsAreAsNiceAsTheyCanWait) {
  const int usual = getpriority(PRIO_PROCESS, 0);
  if (usual != 0) GTEST_SKIP() << "these tests have a nice value of their own, which builds keep";
  const auto nice_value_for = [](protocol::Urgency urgency) {
    CompileServer server;
    Request request = endless_request();
    request.urgency = urgency;
    const int connection = server.connect();
    write_message(connection, protocol::encode(request));
    int value = 0;
    // It is set soon after the start.
    wait_until([&] {
      const std::vector<pid_t> builds = children_of(server.pid());
      value = builds.empty() ? 0 : getpriority(PRIO_PROCESS, static_cast<id_t>(builds[0]));
      return value != getpriority(PRIO_PROCESS, 0);
    });
    close(connection);
    return value;
  };
  const int soon = nice_value_for(protocol::Urgency::kSoon);
  const int background = nice_value_for(protocol::Urgency::kBackground);
  EXPECT_LT(usual, soon);
  EXPECT_LT(soon, background);
  EXPECT_LE(background, nice_value_for(protocol::Urgency::kTrial));
}

TEST(Server, EndsWithItsControlSocket) {
  CompileServer server;
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
  int status = server.close_and_wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Server, StopsWorkThatNobodyWaitsFor) {
  CompileServer server;
  int connection = server.connect();
  write_message(connection, protocol::encode(endless_request()));
  ASSERT_TRUE(wait_until([&] { return children_of(server.pid()).size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  pid_t child = children_of(server.pid()).at(0);
  close(connection);
  EXPECT_TRUE(wait_until([&] {
    std::vector<pid_t> children = children_of(server.pid());
    return std::find(children.begin(), children.end(), child) == children.end();
  })) << "the child goes on";
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
}

// The kernel's notice of the request itself may come late, when the build has begun. Once the
// server has answered, it refuses further bytes.
TEST(Server, GoesOnWhereTheRequesterIsNotGone) {
  CompileServer server;
  int connection = server.connect();
  write_message(connection, protocol::encode(simple_request()));
  ASSERT_EQ(send(connection, "x", 1, MSG_NOSIGNAL), 1);
  for (int i = 0; i < 20 && send(connection, "x", 1, MSG_NOSIGNAL) == 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(protocol::decode_response(read_message(connection)).status, Status::kSuccess);
  close(connection);
}

TEST(Server, SurvivesTheDeathOfItsChildren) {
  CompileServer server;
  int connection = server.connect();
  write_message(connection, protocol::encode(endless_request()));
  ASSERT_TRUE(wait_until([&] { return children_of(server.pid()).size() == 1; }));
  kill(children_of(server.pid()).at(0), SIGKILL);
  EXPECT_THROW(read_message(connection), std::runtime_error);
  close(connection);
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
}

// Its parent may be gone as well: nobody would end the build.
TEST(Server, TakesItsBuildsWithIt) {
  CompileServer server;
  const int connection = server.connect();
  write_message(connection, protocol::encode(endless_request()));
  ASSERT_TRUE(wait_until([&] { return children_of(server.pid()).size() == 1; }));
  kill(server.pid(), SIGKILL);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(read_message(connection), std::runtime_error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  close(connection);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Twenty-seven macros, each twice the one before.
Request exploding_request() {
  Request request;
  request.source = "#define M0 a[0] += 1;\n";
  for (int i = 1; i <= 27; ++i) {
    const std::string before = "M" + std::to_string(i - 1);
    request.source += "#define M" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  request.source += "kernel void k(global int* a) { M27 }";
  return request;
}

void expect_limit(const Request& request, const std::string& text) {
  const Response response = shared_server().send(request);
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_NE(response.log.find(text), std::string::npos) << response.log;
  EXPECT_EQ(shared_server().send(simple_request()).status, Status::kSuccess);
}

TEST(Server, TellsWhichLimitABuildHasMet) {
  Request request = exploding_request();
  request.memory_mib = 100;
  expect_limit(request, "error: the build needs more than 100 MiB of memory (compile-memory-mib, ");
  request.memory_mib = 0;
  request.cpu_seconds = 1;
  expect_limit(request, "error: the build takes more than 1 s of CPU time (compile-timeout-s, ");
  std::string minuses;
  for (int i = 0; i < 100'000; ++i) minuses += "-~";
  request.source = "kernel void k(global int* a) { a[0] = " + minuses + "a[1]; }";
  expect_limit(request, "error: the program is nested too deeply");
}

// Most memory goes into generating code, in several processes.
TEST(Server, TellsOfALimitThatAPartHasMet) {
  Request request;
  for (int kernel = 0; kernel < 4; ++kernel) {
    request.source += "kernel void k" + std::to_string(kernel) +
                      "(global float16* a) {\nfloat16 x = a[get_global_id(0)];\n";
    for (int i = 0; i < 600; ++i)
      request.source += "x = x * a[" + std::to_string(i) + "] + tan(x);\n";
    request.source += "a[get_global_id(0)] = x;\n}\n";
  }
  request.options = "-cl-conclave-tune=process_memory=1";
  request.memory_mib = 12;
  expect_limit(request, "error: the build needs more than 12 MiB of memory");
}
#endif

// The host keeps the log.
TEST(Server, ShortensLogs) {
  Request request;
  request.source = "kernel void k(global int* a) {\n";
  for (int i = 0; i < 20'000; ++i) request.source += "a[0] == 1;\n";
  request.source += "}\n";
  const Response response = shared_server().send(request);
  EXPECT_EQ(response.status, Status::kSuccess);
  EXPECT_LT(response.log.size(), size_t{1} << 21);
  EXPECT_NE(response.log.find("more bytes of this log are left out\n"), std::string::npos);
}

TEST(Server, IgnoresGarbageOnItsControlSocket) {
  CompileServer server;
  std::string garbage(1000, 'x');
  ASSERT_EQ(write(server.control(), garbage.data(), garbage.size()), 1000);
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
}

TEST(Server, AnswersBadRequests) {
  CompileServer server;
  for (const std::string& body : {std::string("short"), std::string(100, '\xff'), std::string()}) {
    int connection = server.connect();
    write_message(connection, body);
    Response response = protocol::decode_response(read_message(connection));
    EXPECT_EQ(response.status, Status::kFailure);
    EXPECT_NE(response.log, "");
    close(connection);
  }
  int connection = server.connect();
  uint64_t huge = ~uint64_t{0};
  ASSERT_EQ(write(connection, &huge, sizeof huge), ssize_t{sizeof huge});
  EXPECT_EQ(protocol::decode_response(read_message(connection)).status, Status::kFailure);
  close(connection);
  close(server.connect());  // without any request
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
}

// Processes that generate code end after their results are there. Nobody waits for them when they
// outlive the request's process, and a host builds many programs.
TEST(Server, ReapsTheProcessesOfARequest) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  CompileServer server;
  Request request;
  request.options = "-cl-conclave-tune=fork_instructions=0";
  for (const char* name : {"a", "b", "c", "d"})
    request.source += "kernel void " + std::string(name) + "(global int* x) { x[0] = 1; }\n";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(server.send(request).status, Status::kSuccess);
  EXPECT_TRUE(wait_until([&] { return children_of(server.pid()).empty(); }));
  const std::vector<pid_t> children = children_of(getpid());
  EXPECT_EQ(std::vector<pid_t>{server.pid()}, children);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// A terminal's Ctrl-C goes to its foreground group. A session of its own would get its own share of
// the CPU's time, apart from its host's.
TEST(Server, HasItsOwnGroupInItsHostsSession) {
  CompileServer server;
  EXPECT_EQ(server.send(simple_request()).status, Status::kSuccess);
  EXPECT_EQ(getpgid(server.pid()), server.pid());
  EXPECT_EQ(getsid(server.pid()), getsid(0));
}

}  // namespace
}  // namespace conclave::test
