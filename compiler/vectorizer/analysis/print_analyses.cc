// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/print_analyses.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Format.h>

#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/lane_patterns.h"
#include "compiler/vectorizer/analysis/packet_cost.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

void print(llvm::raw_ostream& out, const llvm::Value& value, bool divergent) {
  out << (divergent ? "; divergent: " : "; uniform: ") << value << "\n";
}

void print_uniformity(llvm::raw_ostream& out, llvm::Function& region,
                      const Uniformity& uniformity) {
  out << "; uniformity of " << region.getName() << "\n";
  for (llvm::Argument& argument : region.args())
    print(out, argument, uniformity.is_divergent(argument));
  for (llvm::Instruction& instruction : llvm::instructions(region)) {
    if (instruction.isTerminator())
      print(out, instruction, uniformity.has_divergent_branch(*instruction.getParent()));
    else if (!instruction.getType()->isVoidTy())
      print(out, instruction, uniformity.is_divergent(instruction));
  }
}

void print_shape(llvm::raw_ostream& out, const llvm::Value& value, const Shapes& shapes,
                 const LanePatterns& patterns) {
  out << "; ";
  if (const auto stride = shapes.stride(&value)) {
    if (*stride == 0)
      out << "uniform";
    else
      out << "stride " << *stride;
    if (*stride != 0 && shapes.is_exact(&value, /*is_signed=*/true)) out << ", exact with sign";
    if (*stride != 0 && shapes.is_exact(&value, /*is_signed=*/false)) out << ", exact without sign";
  } else if (const LaneOffsets* offsets = patterns.offsets(&value)) {
    out << "offsets";
    for (const int64_t offset : *offsets) out << " " << offset;
  } else if (const auto assumed = shapes.assumed_stride(&value)) {
    out << "stride " << *assumed << " if no lane wraps";
  } else {
    out << "varying";
  }
  out << ": " << value << "\n";
}

}  // namespace

llvm::PreservedAnalyses PrintUniformity::run(llvm::Function& region,
                                             llvm::FunctionAnalysisManager& analyses) const {
  transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    print_uniformity(out, region, analyses.getResult<UniformityAnalysis>(region));
  });
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses PrintShapes::run(llvm::Function& region,
                                         llvm::FunctionAnalysisManager& analyses) const {
  transform_lanes(region, analyses, [&](const auto& ids, PartRemarks&) {
    const Shapes& shapes = analyses.getResult<ShapesAnalysis>(region).along_lanes(lanes);
    const LanePatterns patterns(region, ids.lanes, shapes, lanes);
    out << "; shapes of " << region.getName() << " for " << lanes << " lanes\n";
    for (llvm::Argument& argument : region.args()) print_shape(out, argument, shapes, patterns);
    for (llvm::Instruction& instruction : llvm::instructions(region))
      if (!instruction.getType()->isVoidTy()) print_shape(out, instruction, shapes, patterns);
  });
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses PrintPacketCost::run(llvm::Function& region,
                                             llvm::FunctionAnalysisManager& analyses) const {
  transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    const PacketCost& cost = analyses.getResult<PacketCostAnalysis>(region).of(lanes);
    out << "; cost of " << region.getName() << " for " << lanes << " lanes: work-item "
        << llvm::format("%.2f", cost.times.scalar) << ", packet "
        << llvm::format("%.2f", cost.times.packet) << ", gain " << llvm::format("%.2f", cost.gain)
        << "\n";
  });
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
