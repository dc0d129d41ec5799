// SPDX-License-Identifier: Apache-2.0
// The vectorizer's last step: a function that says what one lane does becomes one that does it for
// W lanes at once.
//
//   %x = load float, ptr %p              ; %p: lane i at %p + 4 * i
//   %c = fcmp olt float %x, 0.0
//   %n = fneg float %x
//   %y = select i1 %c, float %n, float %x
//   =>
//   %x = load <W x float>, ptr %p
//   %c = fcmp olt <W x float> %x, zeroinitializer
//   %n = fneg <W x float> %x
//   %y = select <W x i1> %c, <W x float> %n, <W x float> %x
//
// Values that are the same for all lanes remain scalar, and so do those that differ by a constant
// from lane to lane (shapes.h). packet_values.h says what a value becomes, packet_memory.h,
// private_memory.h and packet_calls.h what happens to accesses and calls, and per_lane.h what
// happens to everything that has no vector form.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKETIZE_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKETIZE_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <functional>
#include <optional>
#include <utility>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/remarks.h"

namespace conclave::compiler {

// The function that does for exactly `lanes` lanes what `scalar` does for one, taking and returning
// <lanes x T> for each T; null if there is none.
using VectorFunctionFinder =
    llvm::function_ref<llvm::Function*(llvm::Function& scalar, unsigned lanes)>;

struct PacketizeOptions {
  unsigned lanes;
  std::function<llvm::Function*(llvm::Function& scalar, unsigned lanes)> find;
  std::optional<llvm::TargetIRAnalysis> costs = {};  // of the target CPU
};

struct Packetize : llvm::PassInfoMixin<Packetize> {
  PacketizeOptions options;

  explicit Packetize(PacketizeOptions wanted) : options(std::move(wanted)) {}
  llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKETIZE_H_
