// SPDX-License-Identifier: Apache-2.0
// Where ti-mctd runs, the processes of a user have one compile server in common, and each can do
// without it.
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/common/daemon_process.h"
#include "test/common/read_text.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

namespace fs = std::filesystem;
using Worker = std::unique_ptr<WorkerProcess>;

constexpr char kWork[] = "o[%] = o[2 * %] * o[2] + o[o[%]];\n";

std::string kernel_of(const std::string& name, int statements) {
  std::string source = "kernel void " + name + "(global int* o) {\n";
  for (int i = 0; i < statements; ++i) {
    std::string line = kWork;
    for (size_t at; (at = line.find('%')) != line.npos;) line.replace(at, 1, std::to_string(i));
    source += line;
  }
  return source + "}\n";
}

// A program of its own each time: of so many statements, or of "two" kernels, whose code is generated
// by two processes if there are two CPUs.
std::string source_of(const std::string& statements) {
  static int count = 0;
  const std::string begin = "// " + std::to_string(getpid()) + " " + std::to_string(count++) + "\n";
  if (statements == "two") return begin + kernel_of("k", 1500) + kernel_of("l", 1500);
  return begin + kernel_of("k", std::stoi(statements));
}

// Builds a program of as many statements as each line says, and tells how that went.
void build_on_request(const Arguments& arguments) {
  if (arguments == Arguments{"subreaper"}) prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (arguments == Arguments{"confined"}) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
  const cl::Context context(devices.at(0));
  tell("ready");
  for (std::string line; (line = listen()) != "end";) {
    cl::Program program(context, source_of(line));
    try {
      program.build();
      tell("built");
    } catch (const cl::Error&) {
      tell(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(devices.at(0)));
    }
  }
}

// The processes of the server that listens in this program's runtime directory.
std::vector<pid_t> servers() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string words = read_text(entry.path() / "cmdline");
    if (words.find("--warm-server") != words.npos &&
        words.find(getenv("XDG_RUNTIME_DIR")) != words.npos)
      found.push_back(pid);
  }
  return found;
}

pid_t parent_of(pid_t pid) {
  const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  return stat.empty() ? 0 : atoi(stat.c_str() + stat.rfind(')') + 4);
}

// Those that build a program, and those that generate code for them.
std::vector<pid_t> builders() {
  std::vector<pid_t> found;
  for (const pid_t pid : servers())
    if (read_text("/proc/" + std::to_string(pid) + "/comm") == "clocl-build\n")
      found.push_back(pid);
  return found;
}

// Those that none of the others has started.
std::vector<pid_t> main_servers() {
  std::vector<pid_t> all = servers(), found;
  for (const pid_t pid : all) {
    if (std::find(all.begin(), all.end(), parent_of(pid)) == all.end()) found.push_back(pid);
  }
  return found;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    usleep(10'000);
  }
  return false;
}

// The same, once no part of a build is left whose parent has just ended: those look like servers.
std::vector<pid_t> settled_servers(size_t count) {
  std::vector<pid_t> found;
  wait_until([&] { return (found = main_servers()).size() == count; });
  return found;
}

// Makes this process nicer. nice() returns what may be -1.
bool add_nice(int steps) {
  errno = 0;
  return nice(steps) != -1 || errno == 0;
}

std::vector<fs::path> sockets() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry :
       fs::directory_iterator(std::string(getenv("XDG_RUNTIME_DIR")) + "/conclave", none))
    if (entry.is_socket() && entry.path().filename().string().starts_with("clocl-"))
      found.push_back(entry.path());
  return found;
}

// Whether this process has a compile server of its own.
bool has_own_server(const Worker& worker) {
  const std::string root = "/proc/" + std::to_string(worker->pid()) + "/task/";
  for (const auto& task : fs::directory_iterator(root)) {
    std::string text = read_text(task.path() / "children");
    for (char* at = text.data(); *at;) {
      const long child = std::strtol(at, &at, 10);
      while (*at == ' ') ++at;
      const std::string list = read_text("/proc/" + std::to_string(child) + "/task/" +
                                         std::to_string(child) + "/children");
      if (read_text("/proc/" + std::to_string(std::atol(list.c_str())) + "/cmdline")
              .find("--server") != std::string::npos)
        return true;
    }
  }
  return false;
}

class WarmCompiler : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs a daemon for all users";
    daemon_ = std::make_unique<DaemonProcess>(getenv("CONCLAVE_SEGMENT"));
  }
  void TearDown() override {
    daemon_.reset();
    EXPECT_TRUE(wait_until([] { return servers().empty(); })) << "a server outlives the daemon";
  }
  static Worker worker(const Arguments& arguments = {},
                       const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all = settings;  // which win
    all.insert(all.end(), {"CONCLAVE_CACHE=0", "CONCLAVE_WARM_COMPILER=1"});
    auto made = std::make_unique<WorkerProcess>("build", arguments, all);
    EXPECT_EQ(made->receive(), "ready");
    return made;
  }
  static std::string build(const Worker& worker, int statements = 1) {
    worker->send(std::to_string(statements));
    return worker->receive();
  }

  std::unique_ptr<DaemonProcess> daemon_;
};

TEST_F(WarmCompiler, IsOneForAllProcesses) {
  std::vector<Worker> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(worker());
  // All at once, with no server yet.
  for (const Worker& worker : workers) worker->send("1");
  for (const Worker& worker : workers) EXPECT_EQ(worker->receive(), "built");
  const std::vector<pid_t> before = settled_servers(1);
  EXPECT_EQ(before.size(), 1u);
  for (const Worker& worker : workers) EXPECT_FALSE(has_own_server(worker));
  workers.clear();
  EXPECT_EQ(build(worker()), "built");
  EXPECT_EQ(settled_servers(1), before) << "it does not outlive its users";
}

TEST_F(WarmCompiler, IsNotThereWhereItIsNotWanted) {
  const Worker off = worker({}, {"CONCLAVE_WARM_COMPILER=0"});
  EXPECT_EQ(build(off), "built");
  EXPECT_TRUE(has_own_server(off));
  // It would get the server for a child when the process that has started it ends.
  const Worker subreaper = worker({"subreaper"});
  EXPECT_EQ(build(subreaper), "built");
  EXPECT_EQ(servers().size(), 0u);
  daemon_.reset();
  EXPECT_EQ(build(worker()), "built");
  EXPECT_EQ(servers().size(), 0u);
}

TEST_F(WarmCompiler, MayDieDuringABuild) {
  const Worker host = worker();
  EXPECT_EQ(build(host), "built");
  for (int i = 0; i < 3; ++i) {
    host->send("1500");
    usleep(60'000);
    for (const pid_t server : main_servers()) kill(server, SIGKILL);
    EXPECT_EQ(host->receive(), "built");
  }
  EXPECT_TRUE(has_own_server(host));
  EXPECT_EQ(build(worker()), "built");
  EXPECT_EQ(settled_servers(1).size(), 1u);
}

TEST_F(WarmCompiler, MayBeStopped) {
  EXPECT_EQ(build(worker()), "built");
  const std::vector<pid_t> stopped = servers();
  for (const pid_t server : stopped) kill(server, SIGSTOP);
  const Worker host = worker();
  EXPECT_EQ(build(host), "built");
  EXPECT_TRUE(has_own_server(host));
  for (const pid_t server : stopped) kill(server, SIGCONT);
}

// Less than it takes until a build is given up (compile-timeout-s).
constexpr double kSoon = 60;

TEST_F(WarmCompiler, MayBeStoppedInABuild) {
  const Worker host = worker();
  EXPECT_EQ(build(host), "built");
  // The next one is to be stopped, not what is left of this one.
  ASSERT_TRUE(wait_until([] { return builders().empty(); }));
  host->send("1500");
  ASSERT_TRUE(wait_until([] { return !builders().empty(); }));
  const std::vector<pid_t> stopped = builders();
  for (const pid_t builder : stopped) kill(builder, SIGSTOP);
  EXPECT_EQ(host->receive(kSoon), "built");
  EXPECT_TRUE(has_own_server(host));
  for (const pid_t builder : stopped) kill(builder, SIGCONT);
}

// A build spreads over several processes, each of which may be stopped alone.
TEST_F(WarmCompiler, MayBeStoppedInAPartOfABuild) {
  const Worker host = worker();
  EXPECT_EQ(build(host), "built");
  // The next one is to be stopped, not what is left of this one.
  ASSERT_TRUE(wait_until([] { return builders().empty(); }));
  host->send("two");
  pid_t part = 0;
  ASSERT_TRUE(wait_until([&] {
    const std::vector<pid_t> all = builders();
    for (const pid_t pid : all)
      if (std::find(all.begin(), all.end(), parent_of(pid)) != all.end()) part = pid;
    return part != 0;
  }));
  kill(part, SIGSTOP);
  // It may have ended just before.
  const std::string answer = host->receive(kSoon);
  EXPECT_TRUE(answer == "built" || answer.find("while generating code") != answer.npos) << answer;
  EXPECT_EQ(build(worker()), "built");
}

TEST_F(WarmCompiler, DoesNotKnowConfinedProcesses) {
  const Worker confined = worker({"confined"});
  EXPECT_EQ(build(confined), "built");
  EXPECT_TRUE(has_own_server(confined));
  EXPECT_EQ(servers().size(), 0u);
}

constexpr ssize_t kNotPermitted = 99;

// How many bytes the server sends to a process that has first changed its own rights.
ssize_t bytes_for(const fs::path& path, const std::function<bool()>& change) {
  const pid_t child = fork();
  if (child == 0) {
    if (!change()) _exit(kNotPermitted);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(98);
    char bytes[16];
    const ssize_t got = read(connection, bytes, sizeof bytes);
    _exit(got < 0 ? 97 : static_cast<int>(got));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}

TEST_F(WarmCompiler, WorksForNobodyWithOtherRights) {
  EXPECT_EQ(build(worker()), "built");
  ASSERT_EQ(sockets().size(), 1u);
  const fs::path path = sockets()[0];
  EXPECT_EQ(bytes_for(path, [] { return true; }), 4);
  const gid_t groups[] = {4711};
  const std::function<bool()> changes[] = {
      [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; },
      // Containers do not always permit these.
      [&] { return setgroups(1, groups) == 0; },
      [] { return unshare(CLONE_NEWNS) == 0; },
      [] { return prctl(PR_CAPBSET_DROP, 0, 0, 0, 0) == 0; },
  };
  EXPECT_EQ(bytes_for(path, changes[0]), 0);
  for (const auto& change : changes) {
    const ssize_t bytes = bytes_for(path, change);
    EXPECT_TRUE(bytes == 0 || bytes == kNotPermitted) << bytes;
  }
}

// Servers keep memory. There are few of them, however many kinds of processes there are.
TEST_F(WarmCompiler, HasFewSiblings) {
  const pid_t child = fork();
  if (child == 0) {
    int failures = 0;
    for (int i = 0; i < 6; ++i) {
      if (!add_nice(1)) _exit(9);
      failures += build(worker()) != "built";
    }
    _exit(failures);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(settled_servers(4).size(), 4u);
}

// Processes of another priority or with other limits do not work for each other.
TEST_F(WarmCompiler, IsOneForEachKindOfProcess) {
  EXPECT_EQ(build(worker()), "built");
  const pid_t child = fork();
  if (child == 0) {
    if (!add_nice(5)) _exit(9);
    _exit(build(worker()) == "built" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(settled_servers(2).size(), 2u);
}

// Answers each connection with these bytes, in place of the server.
class Impostor {
 public:
  Impostor(const fs::path& path, std::string answer) : answer_(std::move(answer)) {
    fs::remove(path);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~Impostor() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  int connections() const { return connections_; }

 private:
  void run() {
    for (int connection; (connection = accept(socket_, nullptr, nullptr)) >= 0;) {
      ++connections_;
      if (write(connection, answer_.data(), answer_.size()) < 0) perror("write");
      char bytes[4096];
      // The requester gives up on what makes no sense. Silence lasts.
      while (read(connection, bytes, sizeof bytes) > 0) {
      }
      close(connection);
    }
  }

  std::string answer_;
  int socket_ = -1;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

TEST_F(WarmCompiler, IsNotBelieved) {
  EXPECT_EQ(build(worker()), "built");
  ASSERT_EQ(sockets().size(), 1u);
  const fs::path path = sockets()[0];
  for (const pid_t server : main_servers()) kill(server, SIGKILL);
  const std::string hello("\4\0\0\0", 4);
  for (const std::string& answer :
       {std::string(), hello, std::string(100, '\xff'), hello + std::string(100, '\xff'),
        hello + std::string("\50\0\0\0\0\0\0\0", 8) + std::string(40, '\xa5')}) {
    const Impostor impostor(path, answer);
    const Worker host = worker();
    host->send("1");
    EXPECT_EQ(host->receive(kSoon), "built");
    EXPECT_EQ(impostor.connections(), 1);
    EXPECT_EQ(build(host), "built");
    EXPECT_EQ(impostor.connections(), 1) << "it was asked again";
  }
}

const std::map<std::string, Role> kRoles = {{"build", build_on_request}};

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  namespace test = conclave::test;
  return test::run_role_or_tests(argc, argv, test::kRoles, [] {
    const test::OwnDevice device(".warm_compiler", 2);  // not in the workers, which use this one
    return RUN_ALL_TESTS();
  });
}
