// SPDX-License-Identifier: Apache-2.0
// Keeps the code of a first build small.
//
// A kernel's packets exist in several forms, and each of them may be many times as long as the code
// of one work-item: gathers are taken apart, loops unrolled, rows joined. A program that waits for
// its first build is better served by less: the runtime has the kernels that run for long compiled
// again in the background (platform/exec/specializer.h), then with all forms.
#ifndef CONCLAVE_COMPILER_PIPELINE_CODE_BUDGET_H_
#define CONCLAVE_COMPILER_PIPELINE_CODE_BUDGET_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/PassManager.h>

#include "compiler/base/program.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// Takes packet forms away until all functions of the program's regions together cost no more than
// twice those for one work-item, or than the program's share of tuning.def's first_code_cost: first
// those for several rows, then those for rests of rows, from the kernels with the most code first,
// then all packets of the regions with the most code. Notes in the kernels' infos how much stack the
// lost forms need, which come later, and in the remarks, one per kernel, which parts have no packets
// left. Kernels with sub-groups keep theirs: sub-groups are packets.
void keep_to_budget(Program& program, llvm::MutableArrayRef<KernelRemarks> remarks,
                    const Target& target, llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_CODE_BUDGET_H_
