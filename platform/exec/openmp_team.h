// SPDX-License-Identifier: Apache-2.0
// Runs kernels whose C code uses OpenMP. Each such kernel runs on a separate thread, whose parallel
// regions have one thread on each compute unit of the device.
//
// A compute unit's worker does not do that. OpenMP's library ties a team to the thread that started
// it, and its threads to the CPUs of that one. And a thread that has left a parallel region by a
// jump is lost to the library.
#ifndef CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_
#define CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_

#include <functional>
#include <memory>
#include <vector>

#include "platform/loader/program_binary.h"

namespace conclave {

class ComputeUnit;

class OpenMpTeam {
 public:
  // What runs on the team's thread: it calls the kernel with these threads, and returns how the
  // kernel was left.
  using Work = std::function<Departure(TeamThreads& threads)>;

  // Runs `work` and waits for its end. The threads of parallel regions are on these compute units,
  // by their numbers; the first one is that on which the kernel runs. Keeps `code` for ever if
  // threads are still in it. Throws Error{CL_OUT_OF_RESOURCES} if no thread can be had, or what
  // `work` throws.
  static Departure run(const std::shared_ptr<const LoadedCode>& code,
                       const std::vector<ComputeUnit*>& units, const Work& work);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_
