// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/wide_masks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <map>
#include <numeric>
#include <vector>

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kMinLanes = 4;
constexpr unsigned kRegisterBits = 256;

// The number of lanes of a mask; 0 for other types.
unsigned mask_lanes(const llvm::Type* type) {
  auto* vector = llvm::dyn_cast<FixedVectorType>(type);
  const bool is_mask = vector && vector->getElementType()->isIntegerTy(1);
  return is_mask && vector->getNumElements() >= kMinLanes ? vector->getNumElements() : 0;
}

// Operations that are done on wide masks: those that join others, not those that make them.
bool joins_masks(const Instruction& instruction) {
  return mask_lanes(instruction.getType()) &&
         (instruction.isBitwiseLogicOp() ||
          llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(instruction));
}

// How wide masks of so many lanes are best: as what most comparisons compare, and most selects
// choose from.
class Widths {
 public:
  explicit Widths(llvm::Function& function) {
    for (const Instruction& instruction : llvm::instructions(function)) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (llvm::isa<llvm::CmpInst>(instruction))
        count(instruction.getType(), instruction.getOperand(0)->getType());
      else if (select)
        count(select->getCondition()->getType(), select->getType());
    }
  }

  unsigned of(unsigned lanes) const {
    auto counts = counts_.find(lanes);
    if (counts == counts_.end()) return 32;
    unsigned best = 2;
    for (unsigned i = 0; i < counts->second.size(); ++i)
      if (counts->second[i] > counts->second[best]) best = i;
    return 8U << best;
  }

 private:
  void count(const llvm::Type* mask, const llvm::Type* values) {
    const unsigned lanes = mask_lanes(mask);
    const unsigned bits = lanes ? values->getScalarSizeInBits() : 0;
    for (unsigned i = 0; i < 4; ++i)
      if (bits == 8U << i) ++counts_[lanes][i];
  }

  std::map<unsigned, std::array<unsigned, 4>> counts_;  // by lanes: of 8, 16, 32 and 64 bits
};

bool is_constant(const Value* wide_mask, bool all) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(wide_mask);
  return constant && (all ? constant->isAllOnesValue() : constant->isNullValue());
}

class MaskWidener {
 public:
  explicit MaskWidener(llvm::Function& function) : widths_(function) {
    for (Instruction& instruction : llvm::instructions(function))
      if (joins_masks(instruction)) joining_.push_back(&instruction);
  }

  void run() {
    // Phis first, since they may be operands of what comes before them.
    for (Instruction* mask : joining_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) start_phi(*phi);
    for (Instruction* mask : joining_)
      if (!llvm::isa<llvm::PHINode>(mask)) wide(mask);
    for (Instruction* mask : joining_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) complete_phi(*phi);
    for (Instruction* mask : joining_) narrow_uses(*mask);
    for (Instruction* mask : joining_) mask->dropAllReferences();
    for (Instruction* mask : joining_) mask->eraseFromParent();
  }

 private:
  FixedVectorType* wide_type(const Value* mask) const {
    const unsigned lanes = mask_lanes(mask->getType());
    return FixedVectorType::get(llvm::IntegerType::get(mask->getContext(), widths_.of(lanes)),
                                lanes);
  }

  void start_phi(llvm::PHINode& phi) {
    IRBuilder<> builder(&phi);
    wide_[&phi] = builder.CreatePHI(wide_type(&phi), phi.getNumIncomingValues(), "mask");
  }

  void complete_phi(llvm::PHINode& phi) {
    auto* wide_phi = llvm::cast<llvm::PHINode>(wide_[&phi]);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      wide_phi->addIncoming(wide(phi.getIncomingValue(i)), phi.getIncomingBlock(i));
  }

  Value* wide(Value* mask) {
    if (Value* known = wide_.lookup(mask)) return known;
    Value* result = make_wide(mask);
    wide_[mask] = result;
    return result;
  }

  Value* make_wide(Value* mask) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask)) {
      IRBuilder<> folder(constant->getContext());
      return folder.CreateSExt(constant, wide_type(mask));
    }
    auto* instruction = llvm::dyn_cast<Instruction>(mask);
    if (instruction && joins_masks(*instruction)) return join(*instruction);
    IRBuilder<> builder(mask->getContext());
    if (instruction)
      builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      builder.SetInsertPointPastAllocas(llvm::cast<llvm::Argument>(mask)->getParent());
    return builder.CreateSExt(mask, wide_type(mask));
  }

  Value* join(Instruction& mask) {
    IRBuilder<> builder(&mask);
    if (llvm::isa<llvm::FreezeInst>(mask)) return builder.CreateFreeze(wide(mask.getOperand(0)));
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&mask)) return choose(builder, *select);
    Value* left = wide(mask.getOperand(0));
    Value* right = wide(mask.getOperand(1));
    builder.SetInsertPoint(&mask);
    return builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(mask).getOpcode(), left, right);
  }

  Value* choose(IRBuilder<>& builder, llvm::SelectInst& select) {
    Value* condition = select.getCondition();
    Value* yes = wide(select.getTrueValue());
    Value* no = wide(select.getFalseValue());
    if (!condition->getType()->isVectorTy()) return builder.CreateSelect(condition, yes, no);
    condition = wide(condition);
    // The side that is not chosen may be poison.
    if (is_constant(no, false)) return builder.CreateAnd(condition, builder.CreateFreeze(yes));
    if (is_constant(yes, true)) return builder.CreateOr(condition, builder.CreateFreeze(no));
    return builder.CreateSelect(narrow(builder, condition), yes, no);
  }

  static Value* narrow(IRBuilder<>& builder, Value* wide_mask) {
    return builder.CreateICmpSLT(wide_mask, llvm::Constant::getNullValue(wide_mask->getType()));
  }

  // `bits`, compared with 0 or with all ones, asks whether any lane is on or whether all are: that
  // can be asked of one register into which the others are joined. Whether all is done.
  static bool vote(llvm::BitCastInst& bits, Value* wide_mask) {
    std::array<std::vector<llvm::ICmpInst*>, 2> questions;  // any, all
    for (llvm::User* user : bits.users()) {
      auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user);
      auto* constant =
          compare ? llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
      if (!constant || !compare->isEquality()) return false;
      if (!constant->isZero() && !constant->isMinusOne()) return false;
      questions[constant->isMinusOne()].push_back(compare);
    }
    for (bool all : {false, true}) {
      if (questions[all].empty()) continue;
      IRBuilder<> builder(&bits);
      Value* joined = join_halves(builder, wide_mask, all);
      const unsigned lanes = mask_lanes(llvm::CmpInst::makeCmpResultType(joined->getType()));
      Value* joined_bits = builder.CreateBitCast(narrow(builder, joined), builder.getIntNTy(lanes));
      for (llvm::ICmpInst* compare : questions[all]) {
        compare->setOperand(1, all ? llvm::Constant::getAllOnesValue(joined_bits->getType())
                                   : llvm::Constant::getNullValue(joined_bits->getType()));
        compare->setOperand(0, joined_bits);
      }
    }
    bits.eraseFromParent();
    return true;
  }

  static Value* join_halves(IRBuilder<>& builder, Value* wide_mask, bool all) {
    auto* type = llvm::cast<FixedVectorType>(wide_mask->getType());
    const unsigned lanes = type->getNumElements();
    if (type->getPrimitiveSizeInBits() <= kRegisterBits || lanes % 2 != 0) return wide_mask;
    llvm::SmallVector<int> low(lanes / 2), high(lanes / 2);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(lanes / 2));
    Value* first = builder.CreateShuffleVector(wide_mask, low);
    Value* second = builder.CreateShuffleVector(wide_mask, high);
    Value* joined = all ? builder.CreateAnd(first, second) : builder.CreateOr(first, second);
    return join_halves(builder, joined, all);
  }

  // Each block that uses the mask in another way has its own narrow form.
  void narrow_uses(Instruction& mask) {
    Value* wide_mask = wide_[&mask];
    llvm::MapVector<BasicBlock*, Value*> narrow_masks;
    for (llvm::Use& use : llvm::make_early_inc_range(mask.uses())) {
      auto* user = llvm::cast<Instruction>(use.getUser());
      if (joins_masks(*user)) continue;  // goes away
      if (auto* bits = llvm::dyn_cast<llvm::BitCastInst>(user); bits && vote(*bits, wide_mask))
        continue;
      BasicBlock* block = user->getParent();
      Value*& narrow_mask = narrow_masks[block];
      if (!narrow_mask) {
        auto* definition = llvm::dyn_cast<Instruction>(wide_mask);
        const bool is_here = definition && definition->getParent() == block;
        IRBuilder<> builder(block, is_here ? *definition->getInsertionPointAfterDef()
                                           : block->getFirstInsertionPt());
        narrow_mask = narrow(builder, wide_mask);
      }
      use.set(narrow_mask);
    }
  }

  Widths widths_;
  std::vector<Instruction*> joining_;
  llvm::DenseMap<Value*, Value*> wide_;
};

}  // namespace

llvm::PreservedAnalyses WidenLaneMasks::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager&) {
  MaskWidener(function).run();
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
