// SPDX-License-Identifier: Apache-2.0
// One compile request from its input to a program binary.
#ifndef CONCLAVE_COMPILER_PIPELINE_H_
#define CONCLAVE_COMPILER_PIPELINE_H_

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/native_code.h"
#include "compiler/progress.h"
#include "conclave/compile_protocol.h"

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

// What a caller may ask for besides the protocol.
struct Extras {
  enum class Output {
    kImage,
    kFrontEndIr,
    kOptimizedIr,
    kAssembly,
    kObject,
    kSpirV,  // not by process(): other programs make it
    kReport,
    kJsonReport
  };
  Output output = Output::kImage;  // text instead of a program binary, in Response::image
  std::string source_name = "program.cl";
  std::vector<NativeObject> native;          // C code to be linked to the program
  std::vector<std::string> native_features;  // what it needs of the CPU
  PhaseTimes times;
};

// Never throws: whatever is wrong is in the response. May be called once per process, because of
// the linker's state.
protocol::Response process(const protocol::Request& request, Extras& extras);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_H_
