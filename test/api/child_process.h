// SPDX-License-Identifier: Apache-2.0
// Runs parts of a test in a fresh process, which has not used OpenCL yet and may be killed.
#ifndef CONCLAVE_TEST_API_CHILD_PROCESS_H_
#define CONCLAVE_TEST_API_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace conclave::test {

// A function that this test program runs instead of its tests when started as `--child=NAME`. It
// returns the exit status: 0 for success; what it prints to stderr is shown with a failure.
struct ChildEntry {
  ChildEntry(const char* name, int (*run)());
};
#define CHILD_PROCESS(name)                                                    \
  static int child_##name();                                                   \
  static const ::conclave::test::ChildEntry entry_##name(#name, child_##name); \
  static int child_##name()

// For child functions: ends them with status 1, and says why, unless `condition` holds.
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                          \
    }                                                                                    \
  } while (false)

// Runs the child function if the arguments ask for one; -1 if they do not.
int run_child_entry(int argc, char** argv);

struct ChildResult {
  int exit_status;     // 128 + signal if a signal ended it
  std::string output;  // stdout and stderr
};

// Starts this program as `--child=name` with `environment` added, and waits for it. It is killed
// after `seconds`, which then shows as exit status 137.
ChildResult run_child(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& environment = {},
                      unsigned seconds = 60);

// Waits for a process that was forked; kills it after `seconds`. Exit status as above.
int wait_for_child(pid_t child, unsigned seconds);

// The environment variable by which descendants of this process are found, whichever process their
// parent is now. Its value is the pid of the test process.
inline constexpr char kMark[] = "CONCLAVE_TEST_MARK";

// Compile servers that belong to the process `host`: its children, or marked with its pid.
std::vector<pid_t> compile_servers(pid_t host);

// Pids of the direct children of process `parent`.
std::vector<pid_t> children_of(pid_t parent);

// Polls `condition` until it holds; false after `seconds`.
bool eventually(const std::function<bool()>& condition, unsigned seconds = 10);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_CHILD_PROCESS_H_
