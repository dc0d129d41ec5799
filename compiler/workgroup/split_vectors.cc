// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/split_vectors.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <utility>
#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/group_uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Smaller elements fill no register of lanes: one access of a whole vector takes less.
constexpr unsigned kLeastBits = 32;

bool is_wanted(const Instruction& instruction) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  return type && type->getScalarSizeInBits() >= kLeastBits;
}

class Splitter {
 public:
  explicit Splitter(llvm::Function& function) : function_(function) {}

  // Uses behind barriers, and in other blocks before them, get the elements.
  void split(Instruction& vector) {
    llvm::SmallVector<llvm::Use*> uses;
    for (llvm::Use& use : vector.uses())
      if (block_of(use) != vector.getParent()) uses.push_back(&use);
    for (llvm::Use* use : uses) {
      auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(use->getUser());
      auto* index =
          extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
      if (index && index->getValue().ult(count(vector))) {
        extract->replaceAllUsesWith(element(&vector, static_cast<unsigned>(index->getZExtValue())));
        dead_.emplace_back(extract);
      } else {
        use->set(assembled(vector, *block_of(*use)));
      }
    }
    dead_.emplace_back(&vector);
  }

  void erase_unused() {
    for (const llvm::WeakTrackingVH& value : dead_)
      if (value) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  }

 private:
  static unsigned count(const Value& vector) {
    return llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements();
  }

  // Looks through insertions, also those of `assembled`.
  Value* element(Value* vector, unsigned index) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(vector))
      if (llvm::Constant* known = constant->getAggregateElement(index)) return known;
    if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector))
      if (auto* at = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2)))
        return at->equalsInt(index) ? insert->getOperand(1) : element(insert->getOperand(0), index);
    Value*& known = elements_[{vector, index}];
    if (known) return known;
    llvm::IRBuilder<> builder(vector->getContext());
    if (auto* instruction = llvm::dyn_cast<Instruction>(vector)) {
      builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    } else {
      BasicBlock& entry = function_.getEntryBlock();
      builder.SetInsertPoint(entry.getTerminator());
    }
    return known = builder.CreateExtractElement(vector, index, vector->getName());
  }

  // The vector at the top of a block.
  Value* assembled(Instruction& vector, BasicBlock& block) {
    Value*& known = assembled_[{&vector, &block}];
    if (known) return known;
    Value* result = llvm::PoisonValue::get(vector.getType());
    llvm::SmallVector<Value*> elements;
    for (unsigned i = 0; i < count(vector); ++i) elements.push_back(element(&vector, i));
    llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
    for (unsigned i = 0; i < elements.size(); ++i)
      result = builder.CreateInsertElement(result, elements[i], i, vector.getName());
    return known = result;
  }

  llvm::Function& function_;
  llvm::DenseMap<std::pair<Value*, unsigned>, Value*> elements_;
  llvm::DenseMap<std::pair<Instruction*, BasicBlock*>, Value*> assembled_;
  std::vector<llvm::WeakTrackingVH> dead_;
};

}  // namespace

bool split_vectors_across(llvm::Function& kernel, const BarrierCuts& cuts,
                          llvm::FunctionAnalysisManager& analyses) {
  if (!tuning().split_vectors || cuts.empty()) return false;
  const Uniformity& uniformity = analyses.getResult<GroupUniformityAnalysis>(kernel).values;
  // Definitions come before uses, so that elements are known to be those of earlier vectors.
  std::vector<Instruction*> vectors;
  for (BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&kernel))
    for (Instruction& instruction : *block)
      if (is_wanted(instruction) && uniformity.is_divergent(instruction) &&
          !crossings_of_value(instruction, cuts).empty())
        vectors.push_back(&instruction);
  Splitter splitter(kernel);
  for (Instruction* vector : vectors) splitter.split(*vector);
  splitter.erase_unused();
  return !vectors.empty();
}

}  // namespace conclave::compiler
