// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/middle_end_analyses.h"

#include "compiler/base/address_space_aliasing.h"
#include "compiler/vectorizer/analysis/lane_count.h"
#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/packet_cost.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/analysis/uniformity.h"
#include "compiler/workgroup/group_uniformity.h"

namespace conclave::compiler {

MiddleEndAnalyses::MiddleEndAnalyses(const llvm::Module& module, Program& program,
                                     const Target* target)
    : no_library_(llvm::Triple(module.getTargetTriple())) {
  // OpenCL C has no C library; a function of the program is what it says and nothing else.
  no_library_.disableAllFunctions();
  function.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library_); });
  function.registerPass([] { return make_alias_analyses(); });
  function.registerPass([] { return AddressSpaceAliasing(); });
  const llvm::TargetIRAnalysis costs =
      target ? target->machine().getTargetIRAnalysis() : llvm::TargetIRAnalysis();
  const TargetModel model = target ? target->model() : TargetModel();
#define FUNCTION_ANALYSIS(NAME, TYPE, ...) function.registerPass([&] { return __VA_ARGS__; });
#include "compiler/passes.def"
  this->module.registerPass([&] { return ProgramAnalysis(program); });
}

}  // namespace conclave::compiler
