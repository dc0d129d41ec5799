// SPDX-License-Identifier: Apache-2.0
// Kernels for GPUs whose work-items run in step, 32 at a time, let them read without a barrier what
// their neighbours have just written, in volatile local memory:
//
//   volatile local float* s = sums;
//   if (i < 32) { s[i] += s[i + 32]; s[i] += s[i + 16]; ... s[i] += s[i + 1]; }
//
// OpenCL does not promise what they find. The lanes of a packet run in step as well, so packets of 32
// find what such a GPU does.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LOCKSTEP_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LOCKSTEP_H_

#include <llvm/IR/Function.h>

namespace conclave::compiler {

inline constexpr unsigned kLanesInStep = 32;

// Whether work-items of a region, in which there are no barriers, write to volatile local memory and
// then may read what a neighbour has written there.
bool expects_lockstep(llvm::Function& region);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LOCKSTEP_H_
