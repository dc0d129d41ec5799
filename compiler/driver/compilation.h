// SPDX-License-Identifier: Apache-2.0
// One compile request from its input to a program binary.
#ifndef CONCLAVE_COMPILER_DRIVER_COMPILATION_H_
#define CONCLAVE_COMPILER_DRIVER_COMPILATION_H_

#include <string>
#include <vector>

#include "compiler/driver/phase_times.h"
#include "compiler/native/native_code.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {

// Requests that a caller may make and that are not part of the protocol.
struct Extras {
  enum class Output {
    kBinary,
    kFrontEndIr,
    kOptimizedIr,
    kAssembly,
    kObject,
    kSpirV,  // not by process(): other programs make it
    kReport,
    kJsonReport
  };
  Output output = Output::kBinary;  // text instead of a program binary, in Response::binary
  std::string source_name = "program.cl";
  std::vector<NativeObject> native;          // C code to be linked to the program
  std::vector<std::string> native_features;  // what it needs of the CPU
  PhaseTimes times;
};

// Never throws: whatever is wrong is in the response. May be called once per process, because of
// the linker's state.
protocol::Response process(const protocol::Request& request, Extras& extras);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_COMPILATION_H_
