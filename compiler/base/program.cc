// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/program.h"

namespace conclave::compiler {

llvm::AnalysisKey ProgramAnalysis::Key;

}  // namespace conclave::compiler
