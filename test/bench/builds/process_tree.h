// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_BUILDS_PROCESS_TREE_H_
#define CONCLAVE_TEST_BENCH_BUILDS_PROCESS_TREE_H_

#include <chrono>
#include <string>
#include <vector>

namespace bench {

// What a process and all its descendants have cost, those included that have detached themselves.
struct TreeRun {
  bool in_time = true;     // whether the process ended before the limit
  int status = 0;          // its wait status
  double cpu_seconds = 0;  // of all of them together
  double peak_bytes = 0;   // resident memory of the largest of them
};

// Runs this program again with `arguments` (without the program's name) and `settings`
// ("NAME=value") added to the environment; what it prints goes to the file `output`. Returns when
// nothing of the tree is left: the process is killed at the limit, and its descendants soon after
// its end. Throws std::system_error if it cannot be started. Makes the caller adopt orphans
// (PR_SET_CHILD_SUBREAPER); it must have no other children.
TreeRun run_tree(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& settings, const std::string& output,
                 std::chrono::duration<double> limit);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_BUILDS_PROCESS_TREE_H_
