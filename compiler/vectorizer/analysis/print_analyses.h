// SPDX-License-Identifier: Apache-2.0
// What the vectorizer finds out about functions with lanes, as comments for developers and tests.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PRINT_ANALYSES_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PRINT_ANALYSES_H_

#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

namespace conclave::compiler {

// Prints for each value and branch whether it differs between lanes (uniformity.h).
struct PrintUniformity : llvm::PassInfoMixin<PrintUniformity> {
  llvm::raw_ostream& out;

  explicit PrintUniformity(llvm::raw_ostream& stream) : out(stream) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

// Prints how each value differs from lane to lane (shapes.h, lane_patterns.h).
struct PrintShapes : llvm::PassInfoMixin<PrintShapes> {
  llvm::raw_ostream& out;
  unsigned lanes;

  PrintShapes(llvm::raw_ostream& stream, unsigned count) : out(stream), lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

// Prints what a packet takes, and one work-item (packet_cost.h).
struct PrintPacketCost : llvm::PassInfoMixin<PrintPacketCost> {
  llvm::raw_ostream& out;
  unsigned lanes;

  PrintPacketCost(llvm::raw_ostream& stream, unsigned count) : out(stream), lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PRINT_ANALYSES_H_
