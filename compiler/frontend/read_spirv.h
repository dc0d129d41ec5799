// SPDX-License-Identifier: Apache-2.0
// SPIR-V to LLVM IR, with Debian's llvm-spirv-15: the bitcode of LLVM 15 that it makes is what this
// LLVM reads too.
#ifndef CONCLAVE_COMPILER_FRONTEND_READ_SPIRV_H_
#define CONCLAVE_COMPILER_FRONTEND_READ_SPIRV_H_

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <string_view>

namespace conclave::compiler {

// Whether `source` is a module of SPIR-V rather than a text: it begins with SPIR-V's magic number.
bool is_spirv(std::string_view source);

// The module as the front end for OpenCL C would have made it: it calls builtins by their names in
// OpenCL C, and its images and samplers have the types of such. Throws BuildError if the module is
// not valid (by spirv-val) or cannot be translated.
std::unique_ptr<llvm::Module> read_spirv(llvm::LLVMContext& context, std::string_view spirv);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_READ_SPIRV_H_
