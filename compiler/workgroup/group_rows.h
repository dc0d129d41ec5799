// SPDX-License-Identifier: Apache-2.0
// Kernels that know global ids only run several groups of a row of groups as one.
//
// Nothing tells the work-items of such a kernel which group they are in, nor where it ends. Long
// rows fill packets where groups are narrower than these, and read memory in longer runs.
#ifndef CONCLAVE_COMPILER_WORKGROUP_GROUP_ROWS_H_
#define CONCLAVE_COMPILER_WORKGROUP_GROUP_ROWS_H_

#include <llvm/IR/Instructions.h>

#include "compiler/base/region.h"

namespace conclave::compiler {

// Whether a kernel's results do not depend on where groups begin and end.
bool is_indifferent_to_groups(const RegionedKernel& kernel);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_GROUP_ROWS_H_
