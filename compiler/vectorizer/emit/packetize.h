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
// from lane to lane (shapes.h). What a value becomes is in packet_values.h; the rest is told by
// packet_memory.h, private_memory.h, packet_calls.h and, for all that has no vector form,
// per_lane.h.
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

// Gives `region` so many lanes. Its control flow must be linearized. If that is not possible, the
// result is false, `remarks` say why, and the function is not to be used any more. `target` says
// which masked forms of memory access are instructions; all of them, if it is null.
bool packetize(llvm::Function& region, const LaneIds& ids, unsigned lanes,
               VectorFunctionFinder find, const llvm::TargetTransformInfo* target,
               PartRemarks& remarks);

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
