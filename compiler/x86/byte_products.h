// SPDX-License-Identifier: Apache-2.0
// Products of four bytes and four bytes, added up: what cl_khr_integer_dot_product is made of. The
// builtins library calls functions that are nowhere defined:
//
//   i32 @conclave.dot.uu(i32 a, i32 b, i32 sum)   bytes of `a` and of `b` without a sign
//   i32 @conclave.dot.ss(i32 a, i32 b, i32 sum)   with a sign
//   i32 @conclave.dot.us(i32 a, i32 b, i32 sum)   those of `b` with a sign
//
// A packet has them by one operation or two where the CPU has VNNI, and else by products of 16 bits
// that are added in pairs. Single work-items, for which LLVM's vectorizers look, get shifts and
// multiplications.
#ifndef CONCLAVE_COMPILER_X86_BYTE_PRODUCTS_H_
#define CONCLAVE_COMPILER_X86_BYTE_PRODUCTS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "compiler/x86/target.h"

namespace conclave::compiler {

// The function for `lanes` values, defined in the same module; null if `scalar` is another function.
llvm::Function* vector_byte_product(llvm::Function& scalar, unsigned lanes, const Target& target);

// Replaces the calls that are left once packets are made.
struct LowerByteProducts : llvm::PassInfoMixin<LowerByteProducts> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_BYTE_PRODUCTS_H_
