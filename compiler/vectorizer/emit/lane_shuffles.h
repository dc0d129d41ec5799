// SPDX-License-Identifier: Apache-2.0
// Vectors put together and taken apart: parts by lanes into what memory has, lane after lane, and
// the other way round.
//
//   interleave({<x0 x1>, <y0 y1>})     = <x0 y0 x1 y1>
//   pick(<x0 y0 x1 y1>, 2, first: 1)   = <y0 y1>
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_SHUFFLES_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_SHUFFLES_H_

#include <llvm/IR/IRBuilder.h>

namespace conclave::compiler {

// One vector behind the other; all have the same type.
llvm::Value* concatenate(llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> vectors);

// Elements first, first + step, ...: `count` of them.
llvm::Value* pick(llvm::IRBuilderBase& builder, llvm::Value* vector, unsigned count, unsigned first,
                  unsigned step);

// Element `lane` of each vector, for one lane after the other.
llvm::Value* interleave(llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> vectors);

// Every element `times` times.
llvm::Value* repeat_each(llvm::IRBuilderBase& builder, llvm::Value* vector, unsigned times);

// Two or four vectors, in sections of as many elements: element i of vector j in a section becomes
// element j of vector i.
//
//   transpose_sections({<a0 a1 b0 b1>, <c0 c1 d0 d1>}) = {<a0 c0 b0 d0>, <a1 c1 b1 d1>}
llvm::SmallVector<llvm::Value*, 4> transpose_sections(llvm::IRBuilderBase& builder,
                                                      llvm::ArrayRef<llvm::Value*> vectors);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_SHUFFLES_H_
