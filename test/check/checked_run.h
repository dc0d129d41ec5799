// SPDX-License-Identifier: Apache-2.0
// Runs a kernel with checks and collects what the context's callback is told.
#ifndef CONCLAVE_TEST_CHECK_CHECKED_RUN_H_
#define CONCLAVE_TEST_CHECK_CHECKED_RUN_H_

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <vector>

namespace conclave::test {

// One argument of a kernel.
struct Argument {
  enum class Kind { kBuffer, kLocal, kInt, kShared, kHost } kind;
  size_t bytes = 0;             // of memory
  std::vector<cl_int> content;  // that the host writes to the buffer, from its begin on
  cl_int number = 0;
};

Argument buffer_of(size_t bytes);  // nothing is written to it
Argument buffer_with(std::vector<cl_int> content);
Argument local_of(size_t bytes);
Argument number(cl_int value);
// The address of the middle of shared virtual memory, or of the host's own memory.
Argument middle_of_shared(size_t bytes);
Argument middle_of_host(size_t bytes);

struct Run {
  std::string source;  // of a kernel called NAME
  std::string options;
  std::vector<size_t> global, local;
  std::vector<Argument> arguments;
};

struct Outcome {
  std::vector<std::string> findings;
  std::vector<std::vector<cl_int>> buffers;  // the content of each, afterwards
  std::string kernel;                        // what NAME was
};

// Runs it with checks, in a context of its own. Throws std::runtime_error if OpenCL fails.
Outcome run_checked(const Run& run);
// Built with the run's own options; NAME is `bad`.
Outcome run_unchecked(const Run& run);

// Kernel `keep` of the source writes the address of a buffer, which counts from 0 on, to another
// one, with which NAME runs; before, the first buffer is released or not. Buffer 0 of the outcome
// is what NAME writes.
Outcome run_with_kept_address(const std::string& source, const std::string& options, bool release);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_CHECK_CHECKED_RUN_H_
