// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/phase_times.h"

namespace conclave::compiler {

void PhaseTimes::begin(const char* phase) {
  end();
  phases_.emplace_back(phase, 0);
  start_ = std::chrono::steady_clock::now();
  open_ = true;
  if (progress_) progress_->set_phase(phase);
}

void PhaseTimes::show_progress(const std::string& what) {
  progress_ = std::make_unique<Progress>(what);
}

void PhaseTimes::end() {
  if (!open_) return;
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
  phases_.back().second = time.count();
  open_ = false;
  if (progress_) progress_->set_phase(nullptr);
}

}  // namespace conclave::compiler
