// SPDX-License-Identifier: Apache-2.0
// Small passes between those of the vectorizer, and the limits at which it gives up.
#ifndef CONCLAVE_COMPILER_VECTORIZER_FORM_PASSES_H_
#define CONCLAVE_COMPILER_VECTORIZER_FORM_PASSES_H_

#include <llvm/IR/PassManager.h>

#include <utility>

#include "compiler/vectorizer/analysis/remarks.h"

namespace conclave::compiler {

// Runs a pass that knows nothing of the vectorizer, unless a pass before has refused the function.
template <typename Pass>
class UnlessRefused : public llvm::PassInfoMixin<UnlessRefused<Pass>> {
 public:
  explicit UnlessRefused(Pass pass) : pass_(std::move(pass)) {}

  static llvm::StringRef name() { return Pass::name(); }

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (!analyses.getResult<RemarksAnalysis>(function).remarks->why_not.empty())
      return llvm::PreservedAnalyses::all();
    return pass_.run(function, analyses);
  }

 private:
  Pass pass_;
};

// Inlines the calls of functions that have a body, but, where it is told so, for those that become
// calls of packet functions (emit/packet_functions.h). Refuses what becomes too large.
struct InlineCalls : llvm::PassInfoMixin<InlineCalls> {
  bool keeps_packet_calls;

  explicit InlineCalls(bool keeps) : keeps_packet_calls(keeps) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

// Refuses loops that every work-item runs in the same way: a kernel that asks for no id is meant to
// run with one work-item, whose loops LLVM's vectorizer takes.
struct RefuseEqualWork : llvm::PassInfoMixin<RefuseEqualWork> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

// Refuses what would need too much of the stack for the private arrays of all lanes.
struct RefuseLargeArrays : llvm::PassInfoMixin<RefuseLargeArrays> {
  unsigned lanes;

  explicit RefuseLargeArrays(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

// Emits LaneIds::active: the local ids of the last lanes may be beyond the end of the row.
struct MarkActiveLanes : llvm::PassInfoMixin<MarkActiveLanes> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

// The attribute of a packet form that tells the fewest active lanes with which it is faster than
// work-items one by one.
inline constexpr char kLeastLanesAttribute[] = "conclave-least-lanes";

// Refuses what packets would make slower, or hardly faster, by an estimate for the target CPU. Notes
// kLeastLanesAttribute.
struct RefuseSlowPackets : llvm::PassInfoMixin<RefuseSlowPackets> {
  unsigned lanes;

  explicit RefuseSlowPackets(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_FORM_PASSES_H_
