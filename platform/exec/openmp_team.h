// SPDX-License-Identifier: Apache-2.0
// Runs kernels whose C code uses OpenMP: on a thread of its own for each such kernel that runs at a
// time, whose parallel regions have a thread on each compute unit of the device.
//
// Not on a compute unit's worker, as OpenMP's library ties a team to the thread that started it,
// and threads to the CPUs of that one; and as a thread that left a parallel region by a jump is
// lost to the library.
#ifndef CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_
#define CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_

#include <functional>
#include <memory>
#include <vector>

#include "platform/loader/program_image.h"

namespace conclave {

class ComputeUnit;

class OpenMpTeam {
 public:
  // What runs on the team's thread: a call of the kernel with these threads, if it is left.
  using Work = std::function<Departure(TeamThreads& threads)>;

  // Runs `work` and waits for its end. The threads of parallel regions are on these compute units,
  // by their numbers; the first is that on which the kernel runs. Keeps `code` for good where
  // threads are still in it. Throws Error{CL_OUT_OF_RESOURCES} where there is no thread to be had,
  // or what `work` throws.
  static Departure run(const std::shared_ptr<const LoadedCode>& code,
                       const std::vector<ComputeUnit*>& units, const Work& work);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_OPENMP_TEAM_H_
