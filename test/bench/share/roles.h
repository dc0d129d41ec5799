// SPDX-License-Identifier: Apache-2.0
// What the processes that are measured do. Each first gets ready, tells so, and waits for a line.
#ifndef CONCLAVE_TEST_BENCH_SHARE_ROLES_H_
#define CONCLAVE_TEST_BENCH_SHARE_ROLES_H_

#include <cstdint>
#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace bench {

//   examine                        tells the platform's name and the seconds of a step
//   stream GROUPS STEPS DEPTH      runs kernels back to back, DEPTH of them enqueued, until stopped
//   threads STEPS COUNT            computes the same in COUNT threads, without OpenCL
//   short STEPS PHASE_NS PHASES    the line is a start time; from there on launches small kernels,
//                                  one each ms, in the phases that short_runs_in() names; tells the
//                                  ns that each of them took; waits for another line
//   flushed STEPS PHASE_NS PHASES  the same with clFlush() before it waits
//   plain STEPS PHASE_NS PHASES    the same, but the thread computes what the kernel would, without
//                                  OpenCL: what the operating system makes of such a process
//   latency COUNT                  tells the median ns of an empty kernel's launch and end
//   wait_turn                      for each line: enqueues a small kernel, tells "queued", then
//                                  when it ended
//   xclbin COUNT                    has a shared context on an xclbin's compute unit; tells the
//                                  median ns of opening and closing one on the other, COUNT times
//   graph COUNT, stream_source PACKETS, stream_sink PACKETS: see graph_roles.h
//   idle                           has used the device and does nothing
const std::map<std::string, conclave::test::Role>& roles();

// Phases with and without the short kernels alternate in the order A B B A, in which a slow drift
// of the machine cancels out.
inline bool short_runs_in(unsigned phase) {
  return phase % 4 == 1 || phase % 4 == 2;
}
inline constexpr uint32_t kShortGroups = 4;

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SHARE_ROLES_H_
