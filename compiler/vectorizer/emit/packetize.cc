// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packetize.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_operations.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/lane_patterns.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/emit/can_packetize.h"
#include "compiler/vectorizer/emit/emit_lane_operations.h"
#include "compiler/vectorizer/emit/field_groups.h"
#include "compiler/vectorizer/emit/joined_atomics.h"
#include "compiler/vectorizer/emit/lane_shuffles.h"
#include "compiler/vectorizer/emit/lane_votes.h"
#include "compiler/vectorizer/emit/packet_calls.h"
#include "compiler/vectorizer/emit/packet_division.h"
#include "compiler/vectorizer/emit/packet_memory.h"
#include "compiler/vectorizer/emit/packet_values.h"
#include "compiler/vectorizer/emit/per_lane.h"
#include "compiler/vectorizer/emit/private_memory.h"
#include "compiler/vectorizer/emit/table_look_up.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool is_division(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      return true;
    default:
      return false;
  }
}

// Makes the packet form of each instruction of the function, in an order in which operands come
// first. An instruction that is no longer needed is listed and goes away at the end.
class Packetizer : public llvm::InstVisitor<Packetizer> {
 public:
  Packetizer(llvm::Function& region, const Shapes& shapes, const LanePatterns& patterns,
             unsigned lanes, VectorFunctionFinder find, const llvm::TargetTransformInfo* target,
             PartRemarks& remarks)
      : region_(region),
        shapes_(shapes),
        patterns_(patterns),
        values_(region, shapes, patterns, lanes, remarks),
        find_(find),
        target_(target) {}

  void run() {
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&region_);
    std::vector<BasicBlock*> blocks(order.begin(), order.end());
    for (BasicBlock* block : blocks) packetize_block(*block);
    for (llvm::PHINode* phi : phis_) complete(*phi);
    // Where a stride is assumed, the scalar form is needed besides the packet form.
    llvm::erase_if(replaced_, [&](Instruction* instruction) {
      return shapes_.assumed_stride(instruction).has_value();
    });
    for (auto [instruction, replacement] : scalar_replacements_) {
      instruction->replaceAllUsesWith(replacement);
      instruction->eraseFromParent();
    }
    for (Instruction* instruction : replaced_) release(*instruction);
    for (Instruction* instruction : replaced_) instruction->eraseFromParent();
  }

  // Instructions whose result differs from lane to lane, in the block at hand.
  void visitUnaryOperator(llvm::UnaryOperator& operation) {
    for_each_part(operation, [&](llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> operands) {
      return builder.CreateUnOp(operation.getOpcode(), operands[0]);
    });
  }

  void visitBinaryOperator(llvm::BinaryOperator& operation) {
    for_each_part(operation, [&](llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> operands) {
      Value* right = operands[1];
      if (is_division(operation)) return divide(builder, operation, operands[0], right);
      return builder.CreateBinOp(operation.getOpcode(), operands[0], right);
    });
  }

  void visitCmpInst(llvm::CmpInst& compare) {
    for_each_part(compare, [&](llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> operands) {
      return builder.CreateCmp(compare.getPredicate(), operands[0], operands[1]);
    });
  }

  void visitFreezeInst(llvm::FreezeInst& freeze) {
    for_each_part(freeze, [&](llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> operands) {
      return builder.CreateFreeze(operands[0]);
    });
  }

  void visitCastInst(llvm::CastInst& cast) {
    size_t from = scalar_types(cast.getSrcTy()).size();
    size_t to = scalar_types(cast.getDestTy()).size();
    if (from != to) return regroup(cast, from, to);
    for_each_part(cast, [&](llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> operands) {
      llvm::Type* type = values_.packet_type(cast.getDestTy()->getScalarType());
      return builder.CreateCast(cast.getOpcode(), operands[0], type);
    });
  }

  void visitSelectInst(llvm::SelectInst& select) {
    llvm::IRBuilder<> builder(&select);
    Value* condition = select.getCondition();
    bool is_scalar = condition->getType()->isIntegerTy() && values_.is_uniform(condition);
    Parts conditions = is_scalar ? Parts{condition} : values_.parts(condition);
    Parts left = values_.parts(select.getTrueValue());
    Parts right = values_.parts(select.getFalseValue());
    Parts parts;
    for (size_t i = 0; i < left.size(); ++i) {
      Value* of_part = conditions[conditions.size() == 1 ? 0 : i];
      parts.push_back(keep_flags(select, builder.CreateSelect(of_part, left[i], right[i])));
    }
    define(select, parts);
  }

  void visitPHINode(llvm::PHINode& phi) {
    llvm::IRBuilder<> builder(&phi);
    Parts parts;
    for (llvm::Type* type : scalar_types(phi.getType()))
      parts.push_back(
          keep_flags(phi, builder.CreatePHI(values_.packet_type(type), phi.getNumOperands())));
    define(phi, parts);
    phis_.push_back(&phi);
  }

  void visitGetElementPtrInst(llvm::GetElementPtrInst& address) {
    if (address.getType()->isVectorTy()) return visitInstruction(address);
    llvm::IRBuilder<> builder(&address);
    auto operand = [&](Value* value) {
      return values_.is_uniform(value) ? value : values_.vector(value);
    };
    Value* base = operand(address.getPointerOperand());
    llvm::SmallVector<Value*> indices;
    for (Value* index : address.indices()) indices.push_back(operand(index));
    define(address, {builder.CreateGEP(address.getSourceElementType(), base, indices, "",
                                       address.getNoWrapFlags())});
  }

  void visitExtractElementInst(llvm::ExtractElementInst& extract) {
    Parts elements = values_.parts(extract.getVectorOperand());
    Value* index = extract.getIndexOperand();
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      uint64_t i = constant->getValue().getLimitedValue();
      return define(extract, {i < elements.size() ? elements[i] : poison(elements[0])});
    }
    llvm::IRBuilder<> builder(&extract);
    if (target_ && fits_register(*extract.getVectorOperand(), *target_))
      return define(extract, {look_up(builder, values_, extract.getVectorOperand(), index)});
    Value* result = elements[0];
    for (uint64_t i = 1; i < elements.size(); ++i)
      result = builder.CreateSelect(is_index(builder, index, i), elements[i], result);
    define(extract, {result});
  }

  void visitInsertElementInst(llvm::InsertElementInst& insert) {
    Parts elements = values_.parts(insert.getOperand(0));
    Value* element = values_.vector(insert.getOperand(1));
    Value* index = insert.getOperand(2);
    llvm::IRBuilder<> builder(&insert);
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
    for (uint64_t i = 0; i < elements.size(); ++i) {
      if (constant && constant->getValue() == i) elements[i] = element;
      if (!constant)
        elements[i] = builder.CreateSelect(is_index(builder, index, i), element, elements[i]);
    }
    define(insert, elements);
  }

  void visitShuffleVectorInst(llvm::ShuffleVectorInst& shuffle) {
    Parts elements = values_.parts(shuffle.getOperand(0));
    Parts more = values_.parts(shuffle.getOperand(1));
    elements.append(more.begin(), more.end());
    Parts parts;
    for (int from : shuffle.getShuffleMask())
      parts.push_back(from < 0 ? poison(elements[0]) : elements[from]);
    define(shuffle, parts);
  }

  void visitExtractValueInst(llvm::ExtractValueInst& extract) {
    Value* aggregate = extract.getAggregateOperand();
    Parts scalars = values_.parts(aggregate);
    unsigned first = first_scalar(aggregate->getType(), extract.getIndices());
    size_t count = scalar_types(extract.getType()).size();
    define(extract, Parts(scalars.begin() + first, scalars.begin() + first + count));
  }

  void visitInsertValueInst(llvm::InsertValueInst& insert) {
    Value* aggregate = insert.getAggregateOperand();
    Parts scalars = values_.parts(aggregate);
    Parts inserted = values_.parts(insert.getInsertedValueOperand());
    std::copy(inserted.begin(), inserted.end(),
              scalars.begin() + first_scalar(aggregate->getType(), insert.getIndices()));
    define(insert, scalars);
  }

  void visitLoadInst(llvm::LoadInst& load) {
    if (!is_done_as_field(load)) packetize_load(load, mask_, values_, target_);
    replaced_.push_back(&load);
  }

  void visitStoreInst(llvm::StoreInst& store) {
    bool is_uniform = shapes_.has_uniform_operands(store);
    if (is_uniform && !store.isVolatile()) return;
    if (!is_done_as_field(store)) packetize_store(store, mask_, values_, target_);
    replaced_.push_back(&store);
  }

  void visitCallInst(llvm::CallInst& call) {
    if (packetize_call(call, mask_, values_, find_)) replaced_.push_back(&call);
  }

  void visitAtomicRMWInst(llvm::AtomicRMWInst& change) {
    if (!tuning().joined_atomics || !join_atomics(change, mask_, values_))
      run_per_lane(change, mask_, values_);
    replaced_.push_back(&change);
  }

  void visitFenceInst(llvm::FenceInst&) {}

  // All that has no form for several lanes.
  void visitInstruction(Instruction& instruction) {
    run_per_lane(instruction, mask_, values_);
    replaced_.push_back(&instruction);
  }

 private:
  // Loads and stores that have been, or will be, emitted together with their neighbours.
  bool is_done_as_field(Instruction& access) {
    const FieldGroup* group = fields_->of(access);
    if (!group) return false;
    if (!are_better_together(*group, mask_, values_, target_)) return false;
    if (group->position == &access) packetize_fields(*group, mask_, values_, target_);
    return true;
  }

  static Value* poison(Value* like) { return llvm::PoisonValue::get(like->getType()); }

  void define(Instruction& instruction, Parts parts) {
    values_.define(&instruction, std::move(parts));
    replaced_.push_back(&instruction);
  }

  // Leaves name and users to the packet form.
  void release(Instruction& instruction) {
    if (instruction.getType()->isVoidTy()) return;
    Parts parts = values_.parts(&instruction);
    if (parts.size() == 1 && !parts[0]->hasName()) parts[0]->takeName(&instruction);
    instruction.replaceAllUsesWith(llvm::PoisonValue::get(instruction.getType()));
  }

  // The packet form knows as much of its operands as the scalar one.
  static Value* keep_flags(const Instruction& from, Value* to) {
    if (auto* instruction = llvm::dyn_cast<Instruction>(to);
        instruction && instruction->getOpcode() == from.getOpcode()) {
      instruction->copyIRFlags(&from);
      instruction->copyMetadata(from, {llvm::LLVMContext::MD_fpmath});
    }
    return to;
  }

  template <class Create>
  void for_each_part(Instruction& instruction, Create create) {
    llvm::IRBuilder<> builder(&instruction);
    llvm::SmallVector<Parts> operands;
    for (Value* operand : instruction.operands()) operands.push_back(values_.parts(operand));
    Parts parts;
    for (size_t i = 0; i < operands[0].size(); ++i) {
      llvm::SmallVector<Value*> of_part;
      for (const Parts& operand : operands) of_part.push_back(operand[i]);
      parts.push_back(keep_flags(instruction, create(builder, of_part)));
    }
    define(instruction, parts);
  }

  // Explicit vectors are cast to ones with more or fewer elements: the bits of each lane, taken
  // together, are the same before and after.
  void regroup(llvm::CastInst& cast, size_t from, size_t to) {
    llvm::IRBuilder<> builder(&cast);
    Parts parts = values_.parts(cast.getOperand(0));
    llvm::Type* scalar = cast.getDestTy()->getScalarType();
    if (from % to != 0 && to % from != 0) return visitInstruction(cast);
    Parts results;
    if (from > to) {
      size_t group = from / to;
      for (size_t i = 0; i < from; i += group) {
        Value* together = interleave(builder, llvm::ArrayRef(parts).slice(i, group));
        results.push_back(builder.CreateBitCast(together, values_.packet_type(scalar)));
      }
    } else {
      auto group = static_cast<unsigned>(to / from);
      auto* type = llvm::FixedVectorType::get(scalar, values_.lanes() * group);
      for (Value* part : parts) {
        Value* together = builder.CreateBitCast(part, type);
        for (unsigned i = 0; i < group; ++i)
          results.push_back(pick(builder, together, values_.lanes(), i, group));
      }
    }
    define(cast, results);
  }

  // Whether an element's index is `i`: of type i1, or <W x i1>.
  Value* is_index(llvm::IRBuilder<>& builder, Value* index, uint64_t i) {
    Value* of_lanes = values_.is_uniform(index) ? index : values_.vector(index);
    return builder.CreateICmpEQ(of_lanes, llvm::ConstantInt::get(of_lanes->getType(), i));
  }

  Value* divide(llvm::IRBuilder<>& builder, llvm::BinaryOperator& division, Value* left,
                Value* right) {
    right = guard_divisor(builder, division, right, mask_);
    if (!has_packet_form(division)) return builder.CreateBinOp(division.getOpcode(), left, right);
    auto is_uniform = [&](Value* value) { return values_.is_uniform(value); };
    return divide_lanes(builder, division, left, right, divisor_of_all(division, is_uniform));
  }

  void packetize_block(BasicBlock& block) {
    mask_ = nullptr;
    const FieldGroups fields(block, values_);
    fields_ = &fields;
    std::vector<Instruction*> instructions;
    for (Instruction& instruction : block) instructions.push_back(&instruction);
    for (Instruction* instruction : instructions) packetize_instruction(*instruction);
  }

  void packetize_instruction(Instruction& instruction) {
    if (instruction.isTerminator()) return packetize_end(instruction);
    if (is_lanes(instruction)) return begin_mask(llvm::cast<llvm::CallInst>(instruction));
    if (is_any(instruction)) return replace_any(llvm::cast<llvm::CallInst>(instruction));
    if (is_outside(instruction)) return replace_outside(llvm::cast<llvm::CallInst>(instruction));
    if (lane_operation(instruction).kind != LaneOperation::kNone)
      return replace_lane_operation(llvm::cast<llvm::CallInst>(instruction));
    if (patterns_.offsets(&instruction)) return instruction.dropPoisonGeneratingFlags();
    if (auto stride = values_.stride(&instruction)) return keep_scalar(instruction, *stride);
    visit(instruction);
    if (auto stride = shapes_.assumed_stride(&instruction)) keep_scalar(instruction, *stride);
  }

  // Where lanes return different values, it is as if they ran one after the other: the last one's
  // is returned.
  void packetize_end(Instruction& end) {
    auto* exit = llvm::dyn_cast<llvm::ReturnInst>(&end);
    Value* result = exit ? exit->getReturnValue() : nullptr;
    if (!result || values_.is_uniform(result)) return;
    llvm::IRBuilder<> builder(exit);
    Value* lane = mask_ ? last_lane(builder, mask_) : builder.getInt32(values_.lanes() - 1);
    exit->setOperand(0, values_.of_lane(builder, result, lane));
  }

  // A mask that is the same for all lanes and lets one run lets all of them run.
  void begin_mask(llvm::CallInst& lanes) {
    Value* mask = lanes.getArgOperand(0);
    mask_ = values_.is_uniform(mask) ? nullptr : values_.vector(mask);
    replaced_.push_back(&lanes);
  }

  void replace_any(llvm::CallInst& any) {
    llvm::IRBuilder<> builder(&any);
    Value* mask = any.getArgOperand(0);
    Value* result = nullptr;
    if (values_.is_uniform(mask))
      result = mask;
    else if (!mask_)
      result = any_lane(builder, mask, shapes_, values_.lanes());
    if (!result) result = is_not_empty(builder, values_.vector(mask));
    replace_scalar(any, result);
  }

  // Offsets at equal distances need two comparisons: where the first and the last are inside, so
  // are those between them, whether or not their lanes run.
  void replace_outside(llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    Value* offset = call.getArgOperand(0);
    Value* limit = call.getArgOperand(1);
    const auto stride = values_.stride(offset);
    if (!stride)
      return replace_scalar(call, is_any_outside(builder, values_.vector(offset), limit));
    Value* result = builder.CreateICmpUGE(offset, limit);
    if (*stride != 0) {
      auto* distance = builder.getInt64(static_cast<uint64_t>(*stride * (values_.lanes() - 1)));
      Value* last = builder.CreateAdd(offset, distance);
      result = builder.CreateOr(result, builder.CreateICmpUGE(last, limit));
      // The lanes outside may be lanes that do not run.
      if (mask_)
        result = builder.CreateAnd(result, is_any_outside(builder, values_.vector(offset), limit));
    }
    replace_scalar(call, result);
  }

  Value* is_any_outside(llvm::IRBuilder<>& builder, Value* offsets, Value* limit) {
    Value* outside =
        builder.CreateICmpUGE(offsets, builder.CreateVectorSplat(values_.lanes(), limit));
    if (mask_)
      outside = builder.CreateSelect(
          mask_, outside, builder.CreateVectorSplat(values_.lanes(), builder.getFalse()));
    return is_not_empty(builder, outside);
  }

  void replace_lane_operation(llvm::CallInst& call) {
    Value* result = emit_lane_operation(call, mask_, values_);
    values_.stride(&call) ? replace_scalar(call, result) : define(call, {result});
  }

  static Value* is_not_empty(llvm::IRBuilder<>& builder, Value* mask) {
    return builder.CreateIsNotNull(mask_bits(builder, mask));
  }

  // The scalar instruction goes on to calculate what lane 0 has, perhaps without that lane running.
  void keep_scalar(Instruction& instruction, int64_t stride) {
    if (mask_ && is_division(instruction)) {
      llvm::IRBuilder<> builder(&instruction);
      instruction.setOperand(1, guard_divisor(builder, instruction, instruction.getOperand(1),
                                              is_not_empty(builder, mask_)));
    }
    if (stride == 0) return;
    llvm::IRBuilder<> builder(&instruction);
    auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
    if (llvm::isa<llvm::SExtInst>(instruction) || shapes_.extends_with_sign(instruction))
      replace_scalar(instruction,
                     extend(builder, instruction.getOperand(0), instruction.getType(), 0));
    else if (disjoint && disjoint->isDisjoint())
      replace_scalar(instruction,
                     builder.CreateAdd(instruction.getOperand(0), instruction.getOperand(1)));
    else
      keep_true_flags(instruction);
  }

  // With sign, after the calculation is done with more bits where it may wrap in lane 0.
  Value* extend(llvm::IRBuilder<>& builder, Value* value, llvm::Type* type, unsigned depth) {
    if (depth == tuning().widened_depth || !shapes_.may_wrap_with_sign(value))
      return builder.CreateSExt(value, type);
    auto& operation = *llvm::cast<llvm::BinaryOperator>(value);
    const auto opcode = operation.getOpcode();
    Value* left = extend(builder, operation.getOperand(0), type, depth + 1);
    Value* right = operation.getOperand(1);
    right = opcode == Instruction::Shl ? builder.CreateZExt(right, type)
                                       : extend(builder, right, type, depth + 1);
    return builder.CreateBinOp(opcode == Instruction::Or ? Instruction::Add : opcode, left, right);
  }

  void keep_true_flags(Instruction& instruction) {
    if (llvm::isa<llvm::PossiblyExactOperator>(instruction)) return;
    if (!llvm::isa<llvm::OverflowingBinaryOperator>(instruction))
      return instruction.dropPoisonGeneratingFlags();
    auto& operation = llvm::cast<llvm::BinaryOperator>(instruction);
    bool is_signed =
        shapes_.is_flag_true_of_all(operation, true) && !shapes_.may_wrap_with_sign(&operation);
    bool is_unsigned = shapes_.is_flag_true_of_all(operation, false);
    operation.setHasNoSignedWrap(is_signed);
    operation.setHasNoUnsignedWrap(is_unsigned);
  }

  // Later: shapes are known of the old instruction only.
  void replace_scalar(Instruction& instruction, Value* replacement) {
    scalar_replacements_.push_back({&instruction, replacement});
  }

  void complete(llvm::PHINode& phi) {
    Parts parts = values_.parts(&phi);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      Parts incoming = values_.parts(phi.getIncomingValue(i));
      for (auto [part, value] : llvm::zip(parts, incoming))
        llvm::cast<llvm::PHINode>(part)->addIncoming(value, phi.getIncomingBlock(i));
    }
  }

  llvm::Function& region_;
  const Shapes& shapes_;
  const LanePatterns& patterns_;
  PacketValues values_;
  VectorFunctionFinder find_;
  const llvm::TargetTransformInfo* target_;
  const FieldGroups* fields_ = nullptr;  // of the block at hand
  Value* mask_ = nullptr;                // of the block at hand: <W x i1>, or null if all lanes run
  std::vector<llvm::PHINode*> phis_;
  std::vector<Instruction*> replaced_;
  std::vector<std::pair<Instruction*, Value*>> scalar_replacements_;
};

bool packetize(llvm::Function& region, const LaneIds& ids, unsigned lanes,
               VectorFunctionFinder find, const llvm::TargetTransformInfo* target,
               PartRemarks& remarks) {
  llvm::EliminateUnreachableBlocks(region);
  lower_rereads(region);
  LaneStrides strides;
  if (!widen_private_memory(region, lanes, strides, remarks)) return false;
  // These are not the analysis's: the code has changed, and where private memory lies is new.
  const Shapes shapes(region, ids, lanes, std::move(strides));
  if (!can_packetize(region, shapes, remarks)) return false;
  const LanePatterns patterns(region, ids, shapes, lanes);
  Packetizer(region, shapes, patterns, lanes, find, target, remarks).run();
  return true;
}

}  // namespace

llvm::PreservedAnalyses Packetize::run(llvm::Function& region,
                                       llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks& remarks) {
    std::optional<llvm::TargetTransformInfo> target;
    if (options.costs) target.emplace(options.costs->run(region, analyses));
    packetize(region, ids.lanes, options.lanes, options.find, target ? &*target : nullptr, remarks);
  });
}

}  // namespace conclave::compiler
