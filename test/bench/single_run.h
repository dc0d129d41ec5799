// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_SINGLE_RUN_H_
#define CONCLAVE_TEST_BENCH_SINGLE_RUN_H_

#include <string>

namespace bench {

// What a fresh process does once. Prints numbers on standard output; returns the exit status.
//   startup    seconds from the first clGet* call to a queue
//   build      seconds to build the program of eight kernels and create them; until each of them
//              has run besides; to build and create them once more in the same process
//   build-alone  seconds to build them, nothing else
//   load       seconds to load their binary and create them
//   footprint  bytes that the process has grown by when a kernel has been built and run, its own
//              buffers not counted; whether an LLVM library is mapped (0 or 1)
int single_run(const std::string& mode);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SINGLE_RUN_H_
