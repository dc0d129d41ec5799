// SPDX-License-Identifier: Apache-2.0
// Functions that stay apart from their callers: the rest of a row that is too short for a packet, what
// a mathematical function does for seldom arguments.
#ifndef CONCLAVE_COMPILER_CODEGEN_OUTLINED_FUNCTIONS_H_
#define CONCLAVE_COMPILER_CODEGEN_OUTLINED_FUNCTIONS_H_

#include <llvm/IR/Module.h>

namespace conclave::compiler {

// Whether a function is compiled with each of its callers; false if it may be compiled apart from them.
bool is_part_of_callers(const llvm::Function& function);

// Makes local functions that are never inlined visible to other objects of the program, so that another
// process than that of their callers may compile them, and does share_constants(). Unused arguments
// are taken away before, and attributes found: LLVM does neither for functions that others see.
void share_outlined_functions(llvm::Module& module);

// Makes constants whose address may matter visible to other objects of the program.
void share_constants(llvm::Module& module);

// Leaves the definitions of such constants to another object, but what is known of their values.
void leave_out_shared_constants(llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_OUTLINED_FUNCTIONS_H_
