// SPDX-License-Identifier: Apache-2.0
// How long each phase of a build takes.
#ifndef CONCLAVE_COMPILER_DRIVER_PHASE_TIMES_H_
#define CONCLAVE_COMPILER_DRIVER_PHASE_TIMES_H_

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/progress.h"

namespace conclave::compiler {

// Wall-clock milliseconds of each phase.
class PhaseTimes {
 public:
  // Ends the phase before.
  void begin(const char* phase);
  void end();
  // From the second second on, tells the user how far the work on `what` is.
  void show_progress(const std::string& what);
  const std::vector<std::pair<std::string, double>>& phases() const { return phases_; }

 private:
  std::vector<std::pair<std::string, double>> phases_;
  std::chrono::steady_clock::time_point start_;
  bool open_ = false;
  std::unique_ptr<Progress> progress_;  // null: none is shown
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_PHASE_TIMES_H_
