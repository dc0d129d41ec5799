// SPDX-License-Identifier: Apache-2.0
// Masks whose upper lanes are cleared.
//
//   %wide:vk8 = KMOVBkk %mask      ; lanes 0 to 7, all others are off
//   =>
//   %wide:vk8 = KSHIFTRBri %mask, 0
//
// Both instructions clear what is above. But LLVM 19 takes the first one for a copy: where %wide is
// kept in memory, it stores %mask with all its lanes, and those that should be off run. A work-group
// of 40 work-items in packets of 16 then ran 48.
#ifndef CONCLAVE_COMPILER_X86_CLEARED_MASKS_H_
#define CONCLAVE_COMPILER_X86_CLEARED_MASKS_H_

#include <llvm/CodeGen/MachineFunctionPass.h>

namespace conclave::compiler {

// Returns the pass, for the time between the selection of instructions and the choice of registers.
llvm::MachineFunctionPass* make_clear_masks();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_CLEARED_MASKS_H_
