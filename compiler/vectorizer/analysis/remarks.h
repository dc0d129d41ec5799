// SPDX-License-Identifier: Apache-2.0
// What the vectorizer tells of its work; compiler/driver/report.h makes text of it.
//
// Lines are known where the code has debug information: the compiler adds it when remarks are
// wanted (Options::verbose), and takes it away again before code is generated.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_REMARKS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_REMARKS_H_

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

#include <memory>
#include <string>
#include <vector>

namespace conclave::compiler {

// The attribute of functions that mixed_packets.h makes.
inline constexpr char kMixedPacket[] = "conclave-mixed-packet";

// In the program's source; line 0: not known.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const SourcePlace&) const = default;
};

// "load of 4 bytes", "gather".
struct Remark {
  SourcePlace place;
  std::string what;
  std::string how;

  auto operator<=>(const Remark&) const = default;
};

// The remarks on one part of a kernel, which lies between two barriers.
class PartRemarks {
 public:
  unsigned lanes = 1;
  unsigned dimension = 0;  // that the lanes are neighbours in
  unsigned rows = 1;       // of work-items that run at once, where groups have so many
  // Groups that are too small for so many lanes have them in dimension 0.
  bool depends_on_size = false;
  unsigned first_line = 0;  // of the kernel itself, without what it calls; 0: not known
  unsigned last_line = 0;
  std::string why_not;  // there is no packet form; empty if there is one
  SourcePlace why_not_place;

  // Without it, only why there is no packet form is kept.
  void want_all(const llvm::Function& region);

  // An access that costs more than one of neighbouring elements: "gather", "scatter". If it is said
  // more than once of an access, the first time counts.
  void memory(const llvm::Instruction& access, const char* form) { add(access, form); }
  // The instruction runs once for each lane.
  void per_lane(const llvm::Instruction& instruction) { add(instruction, "lane by lane"); }
  // There is no packet form, because of `where` if that is given. Always false.
  bool refuse(const std::string& why, const llvm::Instruction* where = nullptr);

  // Returns the remarks in the order of the source.
  std::vector<Remark> sorted() const;

 private:
  void add(const llvm::Instruction& instruction, const char* how);

  bool wants_all_ = false;
  std::vector<Remark> remarks_;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> told_;
};

// Where passes on a function put their remarks: where remarks_of() was set to last, or an object of
// the function's own. Passes of the vectorizer leave functions alone that one has refused.
class RemarksAnalysis : public llvm::AnalysisInfoMixin<RemarksAnalysis> {
 public:
  struct Result {
    std::shared_ptr<PartRemarks> own = std::make_shared<PartRemarks>();
    PartRemarks* remarks = own.get();
    static bool invalidate(llvm::Function&, const llvm::PreservedAnalyses&,
                           llvm::FunctionAnalysisManager::Invalidator&) {
      return false;
    }
  };
  static Result run(llvm::Function&, llvm::FunctionAnalysisManager&) { return {}; }

 private:
  friend llvm::AnalysisInfoMixin<RemarksAnalysis>;
  static llvm::AnalysisKey Key;
};

struct KernelRemarks {
  std::string kernel;
  SourcePlace place;
  std::vector<Remark> remarks;  // on the whole kernel
  std::vector<PartRemarks> parts;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_REMARKS_H_
