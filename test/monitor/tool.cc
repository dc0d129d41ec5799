// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "platform/base/descriptor.h"
#include "platform/share/daemon_client.h"
#include "platform/share/meeting_place.h"

namespace conclave::test {
namespace {

std::string text_of(int file) {
  std::string text;
  char block[4096];
  off_t at = 0;
  for (ssize_t count; (count = pread(file, block, sizeof block, at)) > 0; at += count)
    text.append(block, static_cast<size_t>(count));
  return text;
}

std::vector<std::string> clean_environment_with(std::vector<std::string> environment) {
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const bool ours = text.starts_with("CONCLAVE_") || text.starts_with("TI_OCL_") ||
                      text.starts_with("XRT_") || text.starts_with("NOTIFY_SOCKET=");
    if (!ours) environment.push_back(text);
  }
  return environment;
}

// Waits for a child. Exit status, 128 + signal if one ended it.
int wait_for(pid_t pid, double seconds) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended = {process.get(), POLLIN, 0};
  if (!process || poll(&ended, 1, static_cast<int>(seconds * 1000)) <= 0)
    throw std::runtime_error("process " + std::to_string(pid) + " has not ended for " +
                             std::to_string(seconds) + " s");
  int status = 0;
  if (waitpid(pid, &status, 0) != pid)
    throw std::system_error(errno, std::generic_category(), "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string path_of(const std::string& program) {
  return std::string(TOOLS_DIRECTORY) + "/" + program;
}

Tool::Tool(const std::string& program, const std::vector<std::string>& arguments,
           const std::vector<std::string>& settings)
    : output_(memfd_create("output", MFD_CLOEXEC)), errors_(memfd_create("errors", MFD_CLOEXEC)) {
  std::vector<std::string> words = {path_of(program)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = clean_environment_with(settings);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  const int error = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
}

Tool::~Tool() {
  if (status_ < 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
  close(errors_);
}

int Tool::wait(double seconds) {
  if (status_ < 0) status_ = wait_for(pid_, seconds);
  return status_;
}

std::string Tool::output() const {
  return text_of(output_);
}
std::string Tool::errors() const {
  return text_of(errors_);
}

bool soon(const std::function<bool()>& holds, double seconds) {
  const int64_t until = now_ns() + static_cast<int64_t>(seconds * 1e9);
  while (!holds()) {
    if (now_ns() > until) return false;
    usleep(5000);
  }
  return true;
}

ToolTest::ToolTest() {
  // A daemon that has gone to the background is ours again.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  char name[] = "/tmp/conclave-monitor-XXXXXX";
  if (!mkdtemp(name)) throw std::system_error(errno, std::generic_category(), "mkdtemp");
  directory_ = name;
  write(file("process.json"), "{}");
}

ToolTest::~ToolTest() {
  for (pid_t daemon : daemons_) {
    kill(daemon, SIGKILL);
    waitpid(daemon, nullptr, 0);
  }
  std::error_code ignored;  // a compiler that outlives its program may still write there
  std::filesystem::remove_all(directory_, ignored);
}

bool ToolTest::segment_exists() const {
  return daemon_pid() != 0 || share::MeetingPlace(segment()).find();
}

std::unique_ptr<share::Segment> ToolTest::open_segment() const {
  auto segment = share::join_daemon(this->segment());
  return segment ? std::move(segment) : share::MeetingPlace(this->segment()).find();
}

std::string ToolTest::socket_path() const {
  return geteuid() == 0 ? share::system_socket(segment()) : share::user_socket(segment());
}

void ToolTest::write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::vector<std::string> ToolTest::settings() const {
  return {segment_.setting(),
          "CONCLAVE_CONFIG=" + file("process.json"),
          "CONCLAVE_COMPUTE_UNITS=4",
          "CONCLAVE_TIME_SLICE_US=3000",
          "CONCLAVE_DDR_HEAP1_SIZE_MIB=1",
          "CONCLAVE_MSMC_HEAP_SIZE_KIB=0"};
}

ToolTest::Result ToolTest::run(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::vector<std::string>& more_settings) {
  std::vector<std::string> all = more_settings;
  for (const std::string& setting : settings()) all.push_back(setting);
  Tool tool(program, arguments, all);
  const int status = tool.wait();
  return {status, tool.output(), tool.errors()};
}

std::unique_ptr<WorkerProcess> ToolTest::client(const std::string& role,
                                                const std::vector<std::string>& arguments,
                                                const std::vector<std::string>& more_settings) {
  // The first of two settings of a variable holds.
  std::vector<std::string> all = more_settings;
  for (const std::string& setting : settings()) all.push_back(setting);
  auto process = std::make_unique<WorkerProcess>(role, arguments, all);
  EXPECT_EQ(process->receive(), "ready");
  return process;
}

void ToolTest::configure(const std::string& entries) {
  write(config_file(), "{" + entries + "}");
}

std::vector<std::string> ToolTest::daemon_arguments() const {
  return {"--segment", segment(), "--config", config_file()};
}

pid_t ToolTest::start_daemon() {
  const Result result = run("ti-mctd", daemon_arguments());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output + result.errors, "");
  const auto pid = static_cast<pid_t>(daemon_pid());
  if (pid != 0) daemons_.push_back(pid);
  return pid;
}

std::unique_ptr<Tool> ToolTest::foreground_daemon() {
  const uint32_t before = daemon_pid();
  auto arguments = daemon_arguments();
  arguments.push_back("--foreground");
  auto tool = std::make_unique<Tool>("ti-mctd", arguments);
  EXPECT_TRUE(soon([&] { return daemon_pid() == static_cast<uint32_t>(tool->pid()); }))
      << tool->errors() << " before: " << before;
  return tool;
}

// The process that listens.
uint32_t ToolTest::daemon_pid() const {
  const Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return 0;
  ucred peer = {};
  socklen_t size = sizeof peer;
  getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return static_cast<uint32_t>(peer.pid);
}

int ToolTest::stop_daemon(pid_t pid, int signal) {
  kill(pid, signal);
  const int status = wait_for(pid, 20);
  std::erase(daemons_, pid);
  return status;
}

}  // namespace conclave::test
