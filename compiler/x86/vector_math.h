// SPDX-License-Identifier: Apache-2.0
// Tells LLVM's vectorizers which vector functions of SLEEF stand for which scalar ones.
//
//   %v = call float @Sleef_sinf_u10(float %x)
//   =>
//   %v = call float @Sleef_sinf_u10(float %x) #0
//   attributes #0 = { "vector-function-abi-variant"=
//                     "_ZGV_LLVM_N8v_Sleef_sinf_u10(Sleef_sinf8_u10avx2),..." }
//   declare <8 x float> @Sleef_sinf8_u10avx2(<8 x float>)
#ifndef CONCLAVE_COMPILER_X86_VECTOR_MATH_H_
#define CONCLAVE_COMPILER_X86_VECTOR_MATH_H_

#include "compiler/x86/target.h"

namespace conclave::compiler {

struct AddVectorMath : llvm::PassInfoMixin<AddVectorMath> {
  const Target& target;

  explicit AddVectorMath(const Target& cpu) : target(cpu) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

// The vector function that does for `lanes` values what `scalar` does for one, in the same module: one
// of SLEEF's, or one of byte_products.h. Null where there is none.
llvm::Function* find_vector_function(llvm::Function& scalar, unsigned lanes, const Target& target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_VECTOR_MATH_H_
