// SPDX-License-Identifier: Apache-2.0
// Running the built programs, each test with a shared segment and a configuration of its own.
#ifndef CONCLAVE_TEST_MONITOR_TOOL_H_
#define CONCLAVE_TEST_MONITOR_TOOL_H_

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/share/segment.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_process.h"

namespace conclave::test {

// A running program; its output goes to files.
class Tool {
 public:
  // `settings` ("NAME=value") are added to an environment without settings of Conclave.
  Tool(const std::string& program, const std::vector<std::string>& arguments,
       const std::vector<std::string>& settings = {});
  // Kills it if it still runs.
  ~Tool();
  Tool(const Tool&) = delete;

  pid_t pid() const { return pid_; }
  // Exit status, 128 + signal if one ended it. Throws std::runtime_error after `seconds`.
  int wait(double seconds = 20);
  std::string output() const;
  std::string errors() const;

 private:
  pid_t pid_ = 0;
  int output_ = -1, errors_ = -1;
  int status_ = -1;
};

// Path of a built program.
std::string path_of(const std::string& program);

// Asks until `holds`, at most for `seconds`.
bool soon(const std::function<bool()>& holds, double seconds = 5);

// Each test has its own segment, and a daemon for it if it starts one.
class ToolTest : public ::testing::Test {
 protected:
  ToolTest();
  ~ToolTest() override;

  const std::string& segment() const { return segment_.name(); }
  // Whether processes meet, or a daemon listens, under this name.
  bool segment_exists() const;
  // This user's segment; null if there is none.
  std::unique_ptr<share::Segment> open_segment() const;

  // A file of this test.
  std::string file(const std::string& name) const { return directory_ + "/" + name; }
  void write(const std::string& path, const std::string& text);

  // The environment that tools and clients of this test share.
  std::vector<std::string> settings() const;

  struct Result {
    int status;
    std::string output, errors;
  };
  // Runs a program to its end.
  Result run(const std::string& program, const std::vector<std::string>& arguments,
             const std::vector<std::string>& more_settings = {});

  // A process beside the tools (clients.cc) that has said "ready".
  std::unique_ptr<WorkerProcess> client(const std::string& role,
                                        const std::vector<std::string>& arguments = {},
                                        const std::vector<std::string>& more_settings = {});

  // --- The daemon ---

  // Writes the daemon's configuration: `entries` as in JSON.
  void configure(const std::string& entries);
  std::string config_file() const { return file("daemon.json"); }
  std::vector<std::string> daemon_arguments() const;
  // Starts ti-mctd as from a shell and returns the number of the process that remains.
  pid_t start_daemon();
  // In the foreground, for its messages; returns when it serves.
  std::unique_ptr<Tool> foreground_daemon();
  // Where a daemon of this test listens.
  std::string socket_path() const;
  // 0: nobody listens.
  uint32_t daemon_pid() const;
  // Ends a daemon from start_daemon() with `signal`; its status as above.
  int stop_daemon(pid_t pid, int signal);

 private:
  TemporarySegment segment_;
  std::string directory_;
  std::vector<pid_t> daemons_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_MONITOR_TOOL_H_
