// SPDX-License-Identifier: Apache-2.0
// Joins the bitcode of program binaries: clLinkProgram, and building a binary for another CPU.
#ifndef CONCLAVE_COMPILER_BINARY_LINK_H_
#define CONCLAVE_COMPILER_BINARY_LINK_H_

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/options.h"
#include "compiler/native/native_code.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {

// Reads and links all inputs of the request, and applies its floating-point options. Adds to
// `native` the C code that they have, and to `native_features` what it needs of the CPU. Throws
// BinaryError naming the input that is no program binary of the right kind; a linking error is in
// the log, and the result null.
std::unique_ptr<llvm::Module> link_inputs(llvm::LLVMContext& context,
                                          const protocol::Request& request, const Options& options,
                                          NativeCode& native,
                                          std::vector<std::string>& native_features,
                                          std::string& log);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_LINK_H_
