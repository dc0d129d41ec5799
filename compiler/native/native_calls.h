// SPDX-License-Identifier: Apache-2.0
// Calls of C code from OpenCL C.
//
// The C function sees the registers that the CPU's C convention uses. Pointers and numbers are the
// same in both; vectors of up to four bytes are integers in C:
//
//   call void @f(<2 x i8> %v)   =>   %i = bitcast <2 x i8> %v to i16;  call void @f(i16 %i)
//
// Vectors of more than 16 bytes are passed differently for different CPUs, and structures are taken
// to pieces: neither can be passed by value.
#ifndef CONCLAVE_COMPILER_NATIVE_NATIVE_CALLS_H_
#define CONCLAVE_COMPILER_NATIVE_NATIVE_CALLS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <functional>
#include <utility>

#include "compiler/native/native_code.h"

namespace conclave::compiler {

// Adapts all declarations of functions that C code defines, and their calls. Throws BuildError
// naming the function where a type cannot be passed.
struct LowerNativeCalls : llvm::PassInfoMixin<LowerNativeCalls> {
  std::function<bool(llvm::StringRef)> is_native;

  explicit LowerNativeCalls(std::function<bool(llvm::StringRef)> native)
      : is_native(std::move(native)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

// Whether the function, or one that it calls, calls C code.
bool calls_native(const llvm::Function& function, const NativeCode& native);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_NATIVE_NATIVE_CALLS_H_
