// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/interior_packets.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/uniformity.h"
#include "compiler/vectorizer/transform/linear_sum.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Function;
using llvm::ICmpInst;
using llvm::Instruction;
using llvm::MinMaxIntrinsic;
using llvm::PHINode;
using llvm::Value;
using Sum = LinearSum;

unsigned bits_of(const Value& value) {
  return value.getType()->getIntegerBitWidth();
}

// Between what a value lies, in all lanes and all iterations: what it is modulo its type's range.
// It is `exact` if it is that number, read with sign.
struct Range {
  Sum least, greatest;
  bool exact = true;
};

// Collects what must be so that the clamps of a region do nothing.
class Interior {
 public:
  Interior(Function& region, const LaneIds& ids, const Uniformity& uniformity)
      : ids_(ids), uniformity_(uniformity), dominators_(region), loops_(dominators_) {}

  // Whether an index is kept inside by one, which does nothing if all conditions are true.
  bool add_clamp(MinMaxIntrinsic& clamp) {
    block_ = clamp.getParent();
    const size_t count = conditions_.size();
    if (require_idle(clamp, 0) &&
        llvm::all_of(conditions_, [](const Sum& sum) { return sum.is_small(); }))
      return true;
    conditions_.resize(count);
    return false;
  }

  // The operand that a clamp lets through; null where there may be two of them.
  Value* kept_operand(const MinMaxIntrinsic& clamp) const {
    Value* left = clamp.getLHS();
    Value* right = clamp.getRHS();
    if (!clamp.getType()->isIntegerTy() || bits_of(clamp) < 16 || bits_of(clamp) > 64)
      return nullptr;
    if (uniformity_.is_divergent(*left) == uniformity_.is_divergent(*right)) return nullptr;
    return uniformity_.is_divergent(*left) ? left : right;
  }

  // A loop that all lanes go through as often if all conditions are true, although each begins and ends it
  // with numbers of its own.
  struct EvenLoop {
    PHINode* counter;
    ICmpInst* compare;
    ICmpInst::Predicate predicate;
    bool is_inverse;  // whether the comparison is of the opposite
    Sum length;       // what the end is above the first number, the same for all lanes
    uint64_t step;
    const BasicBlock* latch;
  };

  void find_even_loops() {
    for (llvm::Loop* loop : loops_.getLoopsInPreorder())
      for (PHINode& phi : loop->getHeader()->phis())
        if (std::optional<EvenLoop> even = even_loop(phi)) even_loops_.push_back(std::move(*even));
  }
  const std::vector<EvenLoop>& even_loops() const { return even_loops_; }

  // Emits a loop's length before the end of the entry block: an i64.
  Value* emit_length(const EvenLoop& loop, Instruction& end) {
    for (const auto& [term, factor] : loop.length.factors()) hoist(*term.getPointer(), end);
    llvm::IRBuilder<> builder(&end);
    return loop.length.emit(builder);
  }

  // Emits, before the end of the entry block, whether any of the conditions is false.
  Value* emit_any_false(Instruction& end) {
    for (const Sum& sum : conditions_)
      for (const auto& [term, factor] : sum.factors()) hoist(*term.getPointer(), end);
    llvm::IRBuilder<> builder(&end);
    Value* any = nullptr;
    const auto add = [&](Value* is_false) {
      any = any ? builder.CreateLogicalOr(any, is_false) : is_false;
    };
    llvm::SmallPtrSet<Value*, 4> checked;
    for (const Sum& sum : least_conditions()) {
      for (const auto& [term, factor] : sum.factors())
        if (needs_check(*term.getPointer()) && checked.insert(term.getPointer()).second)
          add(builder.CreateICmpUGT(term.getPointer(), builder.getInt64(Sum::kMaxTerm)));
      add(sum.emit_is_below_0(builder));
    }
    return builder.CreateFreeze(any);
  }

 private:
  using Ranges = std::optional<Range>;

  void require(Sum sum, const Sum& minus) {
    sum.add(minus, -1);
    conditions_.push_back(std::move(sum));
  }
  // Requires that no value wraps: it is what it would be in calculations with any number of bits.
  void require_fits(const Range& range, unsigned bits, bool is_signed) {
    if (is_signed && range.exact) return;
    require(range.least, Sum(is_signed ? llvm::minIntN(bits) : 0));
    if (range.exact) return;
    require(Sum(is_signed ? llvm::maxIntN(bits) : static_cast<int64_t>(llvm::maxUIntN(bits))),
            range.greatest);
  }

  // Makes it a condition that a clamp lets its operand through in all lanes.
  bool require_idle(const MinMaxIntrinsic& clamp, unsigned depth) {
    Value* value = kept_operand(clamp);
    if (!value) return false;
    Value* bound = value == clamp.getLHS() ? clamp.getRHS() : clamp.getLHS();
    const Ranges range = range_of(*value, depth + 1);
    const bool is_signed = clamp.isSigned();
    if (!valid(range) || !can_hoist(*bound)) return false;
    const Sum limit = term_of(*bound, is_signed);
    if (!limit.is_small() || (bits_of(clamp) > Sum::kTermBits && !range->exact)) return false;
    require_fits(*range, bits_of(clamp), is_signed);
    if (ICmpInst::isGT(clamp.getPredicate()))
      require(range->least, limit);
    else
      require(limit, range->greatest);
    return true;
  }

  std::optional<EvenLoop> even_loop(PHINode& phi) {
    const std::optional<Counter> counter = find_counter(phi);
    if (!counter || !uniformity_.is_divergent(*counter->compare)) return std::nullopt;
    const size_t count = conditions_.size();
    block_ = phi.getParent();
    const Ranges first = range_of(*counter->first, 0), end = range_of(*counter->end, 0);
    if (is_one(first) && is_one(end)) {
      Sum length = end->least;
      length.add(first->least, -1);
      const bool is_even = llvm::none_of(length.factors(), [&](const auto& entry) {
        Value* term = entry.first.getPointer();
        return uniformity_.is_divergent(*term) || needs_check(*term);
      });
      if (is_even && length.is_small() &&
          llvm::all_of(conditions_, [](const Sum& sum) { return sum.is_small(); }))
        return EvenLoop{&phi,
                        counter->compare,
                        counter->predicate,
                        counter->predicate != counter->compare->getPredicate(),
                        std::move(length),
                        counter->step->getZExtValue(),
                        loops_.getLoopFor(phi.getParent())->getLoopLatch()};
    }
    conditions_.resize(count);
    return std::nullopt;
  }
  // Whether it is one number in each lane.
  static bool is_one(const Ranges& range) {
    return valid(range) && range->exact && range->least.constant() == range->greatest.constant() &&
           range->least.has_terms_of(range->greatest);
  }

  static Sum term_of(Value& value, bool is_signed) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return Sum(is_signed ? constant->getSExtValue()
                           : static_cast<int64_t>(constant->getValue().getLimitedValue(INT64_MAX)));
    return Sum(Sum::Term(&value, is_signed));
  }

  bool is_id(const Value& value) const {
    return bits_of(value) == 64 &&
           (llvm::is_contained(ids_.small, &value) || llvm::is_contained(ids_.consecutive, &value));
  }

  Ranges range_of(Value& value, unsigned depth) {
    if (depth > tuning().interior_depth || !value.getType()->isIntegerTy() || bits_of(value) > 64)
      return std::nullopt;
    if (is_id(value) && can_hoist(value)) return one(Sum(Sum::Term(&value, true)));
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value))
      return one(Sum(constant->getSExtValue()));
    if (auto* phi = llvm::dyn_cast<PHINode>(&value)) return range_of_counter(*phi, depth);
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    const size_t count = conditions_.size();
    if (instruction) {
      if (Ranges range = range_of_operation(*instruction, depth); valid(range)) return range;
    }
    conditions_.resize(count);
    if (uniformity_.is_divergent(value) || !can_hoist(value)) return std::nullopt;
    return one(Sum(Sum::Term(&value, true)));
  }

  static bool valid(const Ranges& range) {
    return range && range->least.is_small() && range->greatest.is_small();
  }
  static Ranges one(const Sum& sum) { return Range{sum, sum, true}; }

  Ranges range_of_operation(Instruction& instruction, unsigned depth) {
    if (auto* clamp = llvm::dyn_cast<MinMaxIntrinsic>(&instruction)) {
      if (!kept_operand(*clamp) || !require_idle(*clamp, depth)) return std::nullopt;
      return range_of(*kept_operand(*clamp), depth + 1);
    }
    Value* first = instruction.getNumOperands() > 0 ? instruction.getOperand(0) : nullptr;
    switch (instruction.getOpcode()) {
      case Instruction::Add:
        return combine(instruction, 1, depth);
      case Instruction::Sub:
        return combine(instruction, -1, depth);
      case Instruction::Mul:
      case Instruction::Shl:
        return multiply(instruction, depth);
      case Instruction::Freeze:
        return range_of(*first, depth + 1);
      case Instruction::Trunc:
        return truncate(*first, depth);
      case Instruction::SExt:
      case Instruction::ZExt:
        return extend(*first, instruction, depth);
      default:
        return std::nullopt;
    }
  }

  static bool never_wraps(const Instruction& operation) {
    return llvm::cast<llvm::OverflowingBinaryOperator>(operation).hasNoSignedWrap();
  }

  Ranges combine(const Instruction& operation, int64_t sign, unsigned depth) {
    Ranges left = range_of(*operation.getOperand(0), depth + 1);
    if (!valid(left)) return std::nullopt;
    Ranges right = range_of(*operation.getOperand(1), depth + 1);
    if (!valid(right)) return std::nullopt;
    left->least.add(sign > 0 ? right->least : right->greatest, sign);
    left->greatest.add(sign > 0 ? right->greatest : right->least, sign);
    left->exact &= right->exact && never_wraps(operation);
    return left;
  }

  Ranges multiply(const Instruction& operation, unsigned depth) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    if (!constant || constant->getValue().abs().ugt(Sum::kMaxFactor)) return std::nullopt;
    int64_t factor = constant->getSExtValue();
    if (operation.getOpcode() == Instruction::Shl) {
      if (factor >= std::min<int64_t>(bits_of(operation), 12)) return std::nullopt;
      factor = int64_t{1} << factor;
    }
    Ranges range = range_of(*operation.getOperand(0), depth + 1);
    if (!valid(range)) return std::nullopt;
    Range result;
    result.least.add(factor > 0 ? range->least : range->greatest, factor);
    result.greatest.add(factor > 0 ? range->greatest : range->least, factor);
    result.exact = range->exact && never_wraps(operation);
    return result;
  }

  // Ids fit into 32 bits.
  Ranges truncate(Value& from, unsigned depth) {
    Ranges range = range_of(from, depth + 1);
    if (range) range->exact &= is_id(from);
    return range;
  }

  Ranges extend(Value& from, const Instruction& extension, unsigned depth) {
    if (!uniformity_.is_divergent(extension) && can_hoist(extension)) return std::nullopt;
    Ranges range = range_of(from, depth + 1);
    if (!valid(range)) return std::nullopt;
    if (bits_of(from) > Sum::kTermBits) return std::nullopt;
    require_fits(*range, bits_of(from), llvm::isa<llvm::SExtInst>(extension));
    range->exact = true;
    return range;
  }

  // A loop's counter goes up from the first value, and is below the end wherever the loop's header
  // has been passed.
  Ranges range_of_counter(const PHINode& phi, unsigned depth) {
    const std::optional<Counter> counter = find_counter(phi);
    if (!counter || !dominators_.dominates(counter->into, block_)) return std::nullopt;
    Ranges first = range_of(*counter->first, depth + 1);
    if (!valid(first) || !first->exact) return std::nullopt;
    Ranges end = range_of(*counter->end, depth + 1);
    if (!valid(end) || !end->exact) return std::nullopt;
    if (counter->predicate == ICmpInst::ICMP_SLT) end->greatest.add(Sum(-1));
    return Range{first->least, end->greatest, true};
  }

  // What goes up in a loop while `predicate` is true of it and the end, and by how much.
  struct Counter {
    Value* first;
    Value* end;
    ICmpInst::Predicate predicate;  // less, or less or equal, with sign
    llvm::BasicBlockEdge into;      // where the loop goes on
    ICmpInst* compare;
    llvm::ConstantInt* step;
  };

  std::optional<Counter> find_counter(const PHINode& phi) const {
    llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
    if (!loop || loop->getHeader() != phi.getParent() || !loop->getLoopPredecessor() ||
        !loop->getLoopLatch())
      return std::nullopt;
    llvm::ConstantInt* step = step_of(*phi.getIncomingValueForBlock(loop->getLoopLatch()), phi);
    auto* exit = llvm::dyn_cast<BranchInst>(loop->getHeader()->getTerminator());
    if (!step || !exit || !exit->isConditional()) return std::nullopt;
    auto* compare = llvm::dyn_cast<ICmpInst>(exit->getCondition());
    if (!compare || compare->getOperand(0) != &phi) return std::nullopt;
    const bool goes_on_if_true = loop->contains(exit->getSuccessor(0));
    if (goes_on_if_true == loop->contains(exit->getSuccessor(1))) return std::nullopt;
    const auto predicate =
        goes_on_if_true ? compare->getPredicate() : compare->getInversePredicate();
    if (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_SLE) return std::nullopt;
    return Counter{phi.getIncomingValueForBlock(loop->getLoopPredecessor()),
                   compare->getOperand(1),
                   predicate,
                   {loop->getHeader(), exit->getSuccessor(goes_on_if_true ? 0 : 1)},
                   compare,
                   step};
  }

  static llvm::ConstantInt* step_of(const Value& next, const PHINode& phi) {
    auto* add = llvm::dyn_cast<llvm::BinaryOperator>(&next);
    if (!add || add->getOpcode() != Instruction::Add || !never_wraps(*add)) return nullptr;
    auto* step = llvm::dyn_cast<llvm::ConstantInt>(add->getOperand(1));
    const bool goes_up =
        add->getOperand(0) == &phi && step && step->getValue().isStrictlyPositive();
    return goes_up ? step : nullptr;
  }

  // Whether a value, or an id, can be calculated in the entry block. Nothing changes constant
  // memory.
  bool can_hoist(const Value& value, unsigned depth = 0) const {
    if (llvm::isa<llvm::Argument, llvm::Constant>(value)) return true;
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (!instruction || depth > tuning().interior_depth || llvm::isa<PHINode>(instruction))
      return false;
    if (instruction->mayReadFromMemory() && !is_constant_load(*instruction)) return false;
    return llvm::isSafeToSpeculativelyExecute(instruction) &&
           llvm::all_of(instruction->operands(),
                        [&](const llvm::Use& operand) { return can_hoist(*operand, depth + 1); });
  }
  static bool is_constant_load(const Instruction& instruction) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    return load && load->isSimple() && load->getPointerAddressSpace() == kConstantAddressSpace;
  }

  void hoist(Value& value, Instruction& end) {
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (!instruction || hoisted_.contains(instruction)) return;
    for (Value* operand : instruction->operands()) hoist(*operand, end);
    hoisted_.insert(instruction);
    if (instruction->getParent() != end.getParent()) instruction->dropUBImplyingAttrsAndMetadata();
    instruction->moveBefore(&end);
  }

  // Keeps, among conditions that differ by a constant, the one that includes the others.
  llvm::SmallVector<Sum> least_conditions() const {
    llvm::SmallVector<Sum> least;
    for (const Sum& sum : conditions_) {
      auto known = llvm::find_if(least, [&](const Sum& other) { return sum.has_terms_of(other); });
      if (known == least.end())
        least.push_back(sum);
      else if (sum.constant() < known->constant())
        *known = sum;
    }
    return least;
  }

  // Whether nothing is known about how large a term is.
  bool needs_check(const Value& term) const {
    return bits_of(term) > Sum::kTermBits && !is_id(term);
  }

  const LaneIds& ids_;
  const Uniformity& uniformity_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  const BasicBlock* block_ = nullptr;  // of the clamp that is looked at
  llvm::SmallVector<Sum> conditions_;  // each is at least 0
  llvm::SmallPtrSet<Instruction*, 8> hoisted_;
  std::vector<EvenLoop> even_loops_;
};

using Clamps = llvm::SmallVector<MinMaxIntrinsic*>;

// Whether an address is calculated from a value, or a loop's counter is compared with it.
bool is_index(const Value& value, unsigned depth = 0) {
  return depth < tuning().interior_depth &&
         llvm::any_of(
             value.users(),
             [&](const llvm::User* user) {
               if (llvm::getLoadStorePointerOperand(user)) return value.getType()->isPointerTy();
               if (auto* compare = llvm::dyn_cast<ICmpInst>(user))
                 return llvm::isa<PHINode>(compare->getOperand(0)) &&
                        compare->getOperand(1) == &value;
               const bool goes_on =
                   llvm::isa<llvm::BinaryOperator, llvm::CastInst, MinMaxIntrinsic,
                             llvm::FreezeInst, llvm::GetElementPtrInst, PHINode>(user);
               return goes_on && is_index(*user, depth + 1);
             });
}

Clamps find_clamps(Function& region, Interior& interior) {
  Clamps clamps;
  for (Instruction& instruction : llvm::instructions(region)) {
    auto* clamp = llvm::dyn_cast<MinMaxIntrinsic>(&instruction);
    if (clamp && is_index(*clamp) && interior.add_clamp(*clamp)) clamps.push_back(clamp);
  }
  return clamps;
}

// The entry block keeps what both versions have.
BasicBlock& split_entry(Function& region) {
  BasicBlock& entry = region.getEntryBlock();
  BasicBlock* rest = entry.splitBasicBlock(entry.begin(), "edge");
  for (Instruction& instruction : llvm::make_early_inc_range(*rest))
    if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(entry.getTerminator());
  return *rest;
}

// Lets a loop end by how far its counter is from its first number, which is the same for all lanes.
void count_distance(const Interior::EvenLoop& loop, PHINode& counter, ICmpInst& compare,
                    Value* length) {
  llvm::IRBuilder<> builder(&counter);
  PHINode* distance = builder.CreatePHI(builder.getInt64Ty(), 2);
  for (unsigned i = 0; i < 2; ++i) {
    BasicBlock* before = counter.getIncomingBlock(i);
    builder.SetInsertPoint(before->getTerminator());
    Value* number = loop.counter->getIncomingBlock(i) == loop.latch
                        ? builder.CreateNSWAdd(distance, builder.getInt64(loop.step))
                        : builder.getInt64(0);
    distance->addIncoming(number, before);
  }
  builder.SetInsertPoint(&compare);
  Value* goes_on = builder.CreateICmp(loop.predicate, distance, length);
  compare.replaceAllUsesWith(loop.is_inverse ? builder.CreateNot(goes_on) : goes_on);
}

// Code for packets to which the clamps do nothing; returns the block that it begins with.
BasicBlock* make_version(Function& region, Interior& interior, const Clamps& clamps,
                         Instruction& end) {
  llvm::SmallVector<BasicBlock*> blocks, clones;
  for (BasicBlock& block : llvm::drop_begin(region)) blocks.push_back(&block);
  llvm::ValueToValueMapTy map;
  for (BasicBlock* block : blocks) {
    clones.push_back(llvm::CloneBasicBlock(block, map, ".interior", &region));
    map[block] = clones.back();
  }
  llvm::remapInstructionsInBlocks(clones, map);
  for (const MinMaxIntrinsic* clamp : clamps) {
    auto& copy = *llvm::cast<MinMaxIntrinsic>(map.lookup(clamp));
    copy.replaceAllUsesWith(
        copy.getOperand(interior.kept_operand(*clamp) == clamp->getLHS() ? 0 : 1));
    copy.eraseFromParent();
  }
  for (const Interior::EvenLoop& loop : interior.even_loops()) {
    auto& counter = *llvm::cast<PHINode>(map.lookup(loop.counter));
    count_distance(loop, counter, *llvm::cast<ICmpInst>(map.lookup(loop.compare)),
                   interior.emit_length(loop, end));
  }
  return clones.front();
}

void add_interior_version(Function& region, const LaneIds& ids, const Uniformity& uniformity) {
  if (region.getInstructionCount() > tuning().interior_instructions) return;
  Interior interior(region, ids, uniformity);
  const Clamps clamps = find_clamps(region, interior);
  if (clamps.empty()) return;
  interior.find_even_loops();
  BasicBlock& edge = split_entry(region);
  Instruction* end = region.getEntryBlock().getTerminator();
  Value* any_false = interior.emit_any_false(*end);
  BasicBlock* version = make_version(region, interior, clamps, *end);
  llvm::IRBuilder<> builder(end);
  builder.CreateCondBr(create_any(builder, any_false), &edge, version);
  end->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses AddInteriorVersion::run(llvm::Function& region,
                                                llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks&) {
    add_interior_version(region, ids.lanes, analyses.getResult<UniformityAnalysis>(region));
  });
}

}  // namespace conclave::compiler
