// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/remarks.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace conclave::compiler {
namespace {

// Code that passes have made of several places has line 0; where it was inlined is known still.
SourcePlace place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  while (location && location->getLine() == 0) location = location->getInlinedAt();
  if (!location) return {};
  return {location->getFilename().str(), location->getLine(), location->getColumn()};
}

std::string describe_access(const char* what, llvm::Type* type, const llvm::DataLayout& layout) {
  const uint64_t bytes = layout.getTypeStoreSize(type);
  return what + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string describe_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  const llvm::Function* callee = call.getCalledFunction();
  // Programs have no pointers to functions; printf is called by one that the launch brings.
  if (!callee) return "call of the runtime (printf)";
  if (callee->hasFnAttribute(kMixedPacket)) return "what the guard leaves of a packet";
  llvm::StringRef name = callee->getName();
  name.consume_front("cl.");
  return "call of '" + llvm::demangle(name.str()) + "'";
}

std::string describe(const llvm::Instruction& instruction) {
  const llvm::DataLayout& layout = instruction.getDataLayout();
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return describe_access("load of ", load->getType(), layout);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return describe_access("store of ", store->getValueOperand()->getType(), layout);
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return describe_call(*call);
  if (instruction.isAtomic()) return "atomic operation";
  return "'" + std::string(instruction.getOpcodeName()) + "'";
}

}  // namespace

void PartRemarks::want_all(const llvm::Function& region) {
  wants_all_ = true;
  for (const llvm::Instruction& instruction : llvm::instructions(region)) {
    const llvm::DILocation* location = instruction.getDebugLoc();
    while (location && location->getInlinedAt()) location = location->getInlinedAt();
    const unsigned line = location ? location->getLine() : 0;
    if (line == 0) continue;
    first_line = first_line == 0 ? line : std::min(first_line, line);
    last_line = std::max(last_line, line);
  }
}

bool PartRemarks::refuse(const std::string& why, const llvm::Instruction* where) {
  why_not = why;
  if (where) why_not_place = place_of(*where);
  return false;
}

void PartRemarks::add(const llvm::Instruction& instruction, const char* how) {
  if (!wants_all_ || !told_.insert(&instruction).second) return;
  remarks_.push_back({place_of(instruction), describe(instruction), how});
}

std::vector<Remark> PartRemarks::sorted() const {
  std::vector<Remark> remarks = remarks_;
  std::sort(remarks.begin(), remarks.end());
  return remarks;
}

llvm::AnalysisKey RemarksAnalysis::Key;

}  // namespace conclave::compiler
