// SPDX-License-Identifier: Apache-2.0
// `clocl --warm-server` as a process: who may ask it, what happens to it, and that it makes the same
// code as any other.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "test/common/read_text.h"
#include "test/common/temporary_directory.h"
#include "test/unit/compiler/compile_server.h"

namespace conclave::test {
namespace {

using protocol::Request;
using protocol::Response;
using protocol::Status;
using std::chrono::milliseconds;

constexpr uid_t kSomebody = 12345;

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::stringstream text(
      read_text("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; text >> child;) children.push_back(child);
  return children;
}

// User and system time in clock ticks, and how often the process has gone to sleep; empty for one that
// has ended.
std::string activity_of(pid_t pid) {
  const std::string root = "/proc/" + std::to_string(pid);
  const std::string stat = read_text(root + "/stat"), status = read_text(root + "/status");
  const size_t name_end = stat.rfind(')'), switches = status.find("voluntary_ctxt_switches");
  if (name_end == stat.npos || switches == status.npos) return "";
  std::stringstream fields(stat.substr(name_end + 1));
  std::string activity, field;
  for (int i = 3; fields >> field && i <= 15; ++i)
    if (i >= 14) activity += field + " ";
  return activity + status.substr(switches);
}

Request simple_request(const std::string& statement = "a[get_global_id(0)] = 1;") {
  Request request;
  request.source = "kernel void k(global int* a) { " + statement + " }";
  return request;
}

Request endless_request() {
  Request request;
  request.source =
      "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(x)))))))\n"
      "kernel void k(global int* a) { B(a[0] += a[1] * a[2];) }";
  return request;
}

void wait_for_end_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
}

// A connection as its requester has it; -1 inside if the server refuses it.
class Connection {
 public:
  explicit Connection(const std::string& path) {
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const timeval patience = {60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
  }
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  int get() const { return socket_; }
  // Whether the server takes a request.
  bool is_welcome() const {
    uint32_t hello = 0;
    return socket_ >= 0 && recv(socket_, &hello, sizeof hello, MSG_WAITALL) == sizeof hello &&
           hello == protocol::kProtocolVersion;
  }

 private:
  int socket_ = -1;
};

// Starts servers and keeps them until the test ends. The first process that they depend on stands
// for the daemon.
class WarmServer : public ::testing::Test {
 protected:
  void SetUp() override {
    daemon_ = fork();
    if (daemon_ == 0) {
      while (true) pause();
    }
  }
  void TearDown() override {
    kill(daemon_, SIGKILL);
    wait_for_end_of(daemon_);
    for (const pid_t server : servers_) wait_for_end_of(server);
  }

  // Returns when it listens or has ended.
  pid_t start() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t server = fork();
    if (server == 0) {
      const int control = dup(ends[1]);
      dup2(control, protocol::kControlFd);
      for (int descriptor = protocol::kControlFd + 1; descriptor < 64; ++descriptor)
        ::close(descriptor);
      execl(CONCLAVE_CLOCL, CONCLAVE_CLOCL, "--warm-server", path().c_str(),
            std::to_string(daemon_).c_str(), nullptr);
      _exit(127);
    }
    ::close(ends[1]);
    char nothing;
    EXPECT_EQ(read(ends[0], &nothing, 1), 0);
    ::close(ends[0]);
    servers_.push_back(server);
    return server;
  }
  // Waits until a request finds a spare process; returns that.
  static pid_t spare_of(pid_t server) {
    EXPECT_TRUE(wait_until([&] {
      const std::vector<pid_t> children = children_of(server);
      if (children.size() != 1) return false;
      const std::string before = activity_of(children[0]);
      std::this_thread::sleep_for(milliseconds(50));
      return !before.empty() && activity_of(children[0]) == before;
    }));
    const std::vector<pid_t> children = children_of(server);
    return children.empty() ? -1 : children[0];
  }
  Response ask(const Request& request) const {
    const Connection connection(path());
    if (!connection.is_welcome()) throw std::runtime_error("not welcome");
    write_message(connection.get(), protocol::encode(request));
    return protocol::decode_response(read_message(connection.get()));
  }
  std::string path() const { return directory_.file("server"); }

  TemporaryDirectory directory_;
  pid_t daemon_ = -1;
  std::vector<pid_t> servers_;
};

// The first request meets a server that is not warm yet, the later ones a spare process, and those
// that come at once new processes of a warm server.
TEST_F(WarmServer, MakesTheSameCodeAsAnyOther) {
  const pid_t server = start();
  Request request;
  request.source = read_text(CONCLAVE_EIGHT_KERNELS);
  request.options = "-DGROUP=64";
  const Response expected = shared_server().send(request);
  ASSERT_EQ(expected.status, Status::kSuccess) << expected.log;
  EXPECT_EQ(ask(request).binary, expected.binary);
  for (int i = 0; i < 3; ++i) {
    spare_of(server);
    EXPECT_EQ(ask(request).binary, expected.binary);
  }
  spare_of(server);
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < 4; ++i) {
    connections.push_back(std::make_unique<Connection>(path()));
    ASSERT_TRUE(connections.back()->is_welcome());
    write_message(connections.back()->get(), protocol::encode(request));
  }
  for (const auto& connection : connections)
    EXPECT_EQ(protocol::decode_response(read_message(connection->get())).binary, expected.binary);
}

TEST_F(WarmServer, IsIdleWithoutRequests) {
  const pid_t server = start();
  EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
  const pid_t spare = spare_of(server);
  // On a busy machine they are not done with the request at once.
  std::string before;
  for (int i = 0; i < 50 && before != activity_of(server) + activity_of(spare); ++i) {
    before = activity_of(server) + activity_of(spare);
    std::this_thread::sleep_for(milliseconds(300));
  }
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_EQ(activity_of(server) + activity_of(spare), before);
}

TEST_F(WarmServer, RefusesOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  start();
  // As if nothing else kept them out.
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  ASSERT_EQ(chmod(path().c_str(), 0777), 0);
  for (int round = 0; round < 2; ++round) {
    const pid_t other = fork();
    if (other == 0) {
      if (setuid(kSomebody) != 0) _exit(9);
      const Connection connection(path());
      _exit(connection.get() < 0 ? 8 : connection.is_welcome() ? 1 : 0);
    }
    int status = 0;
    waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
    spare_of(servers_[0]);  // in the second round it is the spare that refuses
  }
}

TEST_F(WarmServer, SurvivesGarbageAndSilence) {
  const pid_t server = start();
  std::vector<std::unique_ptr<Connection>> silent;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) silent.push_back(std::make_unique<Connection>(path()));
    for (const std::string& body : {std::string("x"), std::string(100'000, '\xff')}) {
      const Connection connection(path());
      ASSERT_TRUE(connection.is_welcome());
      ASSERT_EQ(send(connection.get(), body.data(), body.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(body.size()));
      shutdown(connection.get(), SHUT_WR);
    }
    {
      const Connection connection(path());
      ASSERT_TRUE(connection.is_welcome());
      write_message(connection.get(), std::string(1000, '\xff'));
      EXPECT_EQ(protocol::decode_response(read_message(connection.get())).status, Status::kFailure);
    }
    EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
    silent.clear();
    spare_of(server);
  }
}

// What is announced is not what is believed.
TEST_F(WarmServer, TakesNoMemoryForAnAnnouncedSize) {
  start();
  const Connection connection(path());
  ASSERT_TRUE(connection.is_welcome());
  const uint64_t size = uint64_t{1} << 30;
  ASSERT_EQ(write(connection.get(), &size, sizeof size), ssize_t{sizeof size});
  std::this_thread::sleep_for(milliseconds(100));
  for (const pid_t child : children_of(servers_[0])) {
    const std::string statm = read_text("/proc/" + std::to_string(child) + "/statm");
    std::stringstream fields(statm);
    uint64_t pages = 0;
    for (int i = 0; i < 6; ++i) fields >> pages;
    EXPECT_LT(pages, (uint64_t{512} << 20) / 4096) << statm;
  }
  EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
}

TEST_F(WarmServer, BoundsEachBuild) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more memory";
#endif
  const pid_t server = start();
  for (int round = 0; round < 2; ++round) {
    Request request = endless_request();
    request.memory_mib = 100;
    Response response = ask(request);
    EXPECT_EQ(response.status, Status::kFailure);
    EXPECT_NE(response.log.find("more than 100 MiB"), std::string::npos) << response.log;
    request.memory_mib = 0;
    request.cpu_seconds = 1;
    response = ask(request);
    EXPECT_NE(response.log.find("more than 1 s of CPU time"), std::string::npos) << response.log;
    spare_of(server);
  }
  EXPECT_EQ(read_text("/proc/" + std::to_string(spare_of(server)) + "/oom_score_adj"), "1000\n");
}

TEST_F(WarmServer, TakesItsBuildsWithIt) {
  const pid_t server = start();
  spare_of(server);
  for (int i = 0; i < 2; ++i) {
    const Connection connection(path());
    ASSERT_TRUE(connection.is_welcome());
    write_message(connection.get(), protocol::encode(endless_request()));
    std::this_thread::sleep_for(milliseconds(100));
    if (i == 0) continue;  // its requester goes
    kill(server, SIGKILL);
    EXPECT_THROW(read_message(connection.get()), std::runtime_error);
  }
}

TEST_F(WarmServer, StopsWorkThatNobodyWaitsFor) {
  const pid_t server = start();
  const pid_t spare = spare_of(server);
  {
    const Connection connection(path());
    ASSERT_TRUE(connection.is_welcome());
    write_message(connection.get(), protocol::encode(endless_request()));
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_TRUE(
      wait_until([&] { return read_text("/proc/" + std::to_string(spare) + "/stat").empty(); }));
  EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
}

// One that dies of itself would be made again and again.
TEST_F(WarmServer, GoesOnWithoutASpare) {
  const pid_t server = start();
  const pid_t spare = spare_of(server);
  ASSERT_GT(spare, 0);
  kill(spare, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return children_of(server).empty(); }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
}

TEST_F(WarmServer, IsOnePerPath) {
  const pid_t server = start();
  const pid_t second = start();
  int status = 0;
  EXPECT_EQ(waitpid(second, &status, 0), second);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
  kill(server, SIGKILL);
  wait_for_end_of(server);
  EXPECT_FALSE(Connection(path()).is_welcome());
  start();  // in the dead one's place
  EXPECT_EQ(ask(simple_request()).status, Status::kSuccess);
}

TEST_F(WarmServer, EndsWithTheDaemon) {
  const pid_t server = start();
  spare_of(server);
  kill(daemon_, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(server, &status, 0), server);
  EXPECT_EQ(status, 0);
  EXPECT_NE(access(path().c_str(), F_OK), 0);
  EXPECT_NE(access((path() + ".lock").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace conclave::test
