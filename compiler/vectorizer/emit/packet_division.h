// SPDX-License-Identifier: Apache-2.0
// Integer division for all lanes at once, which CPUs have no instruction for.
//
//   %q = sdiv i32 %a, %b
//   =>
//   %q = fptosi <8 x double> (fdiv (sitofp %a.parts), (sitofp %b.parts)) to <8 x i32>
//
// A quotient of integers that is not one itself differs from the next by 1/b at least, relatively
// by 1/a: more than the rounding error of a floating-point type with more bits than a. Cutting off
// the fraction gives the integer quotient. Where all lanes divide by the same number they multiply
// by its inverse; half a unit added to `a` keeps exact quotients away from the edge.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_DIVISION_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_DIVISION_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace conclave::compiler {

// Whether there is such a form of a division or remainder.
bool has_packet_form(const llvm::BinaryOperator& division);

using IsUniform = llvm::function_ref<bool(llvm::Value*)>;

// The number that all lanes divide by; null if they differ. It may be 0, and -1 for any dividend,
// since such results are not specified.
llvm::Value* divisor_of_all(const llvm::BinaryOperator& division, const IsUniform& is_uniform);

// `left` and `right` are packets, of which `right` has no 0; `divisor` is divisor_of_all().
llvm::Value* divide_lanes(llvm::IRBuilderBase& builder, const llvm::BinaryOperator& division,
                          llvm::Value* left, llvm::Value* right, llvm::Value* divisor);

// Returns what is divided by where only the lanes of `mask` run, all if it is null: the others divide
// by 1. No constant but 0 and -1 is a danger, and then the divisor is left as it is.
llvm::Value* guard_divisor(llvm::IRBuilderBase& builder, const llvm::Instruction& division,
                           llvm::Value* divisor, llvm::Value* mask);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_DIVISION_H_
