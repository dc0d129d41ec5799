// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/packet_loop.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/memory_access.h"
#include "compiler/passes/sub_groups.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::MDNode;
using llvm::Value;

// A loop `do { ... } while ((index += step) < end)`, for ranges that are not empty.
class CountingLoop {
 public:
  CountingLoop(IRBuilder<>& builder, Value* begin, Value* end, uint64_t step, const char* name)
      : builder_(builder), end_(end), step_(step) {
    BasicBlock* before = builder.GetInsertBlock();
    body_ = BasicBlock::Create(builder.getContext(), name, before->getParent());
    builder.CreateBr(body_);
    builder.SetInsertPoint(body_);
    index_ = builder.CreatePHI(builder.getInt64Ty(), 2, name);
    index_->addIncoming(begin, before);
  }

  Value* index() const { return index_; }

  llvm::BranchInst* close() {
    Value* next = builder_.CreateAdd(index_, builder_.getInt64(step_), "", true, true);
    Value* more = builder_.CreateICmpULT(next, end_);
    BasicBlock* latch = builder_.GetInsertBlock();
    BasicBlock* behind = BasicBlock::Create(builder_.getContext(), "", latch->getParent());
    llvm::BranchInst* branch = builder_.CreateCondBr(more, body_, behind);
    index_->addIncoming(next, latch);
    builder_.SetInsertPoint(behind);
    return branch;
  }

 private:
  IRBuilder<>& builder_;
  Value* end_;
  uint64_t step_;
  BasicBlock* body_;
  llvm::PHINode* index_;
};

// Private memory is shared by the iterations: the next work-item uses the same stack.
bool is_private(const Value* pointer) {
  auto* type = llvm::cast<llvm::PointerType>(pointer->getType()->getScalarType());
  if (type->getAddressSpace() >= 1 && type->getAddressSpace() <= 3) return false;
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  for (const Value* object : objects)
    if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(object)) return true;
  return false;
}

bool is_independent_access(const llvm::Instruction& instruction) {
  auto pointers = accessed_pointers(instruction);
  return !pointers.empty() && llvm::none_of(pointers, is_private);
}

// Between two barriers, what one work-item does to memory is no other's business, except by
// atomics. LLVM's loop vectorizer may rely on that.
MDNode* mark_independent_accesses(llvm::Function& region) {
  MDNode* group = MDNode::getDistinct(region.getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(region))
    if (is_independent_access(instruction))
      instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
  return group;
}

// Loops over work-items are vectorized by LLVM, if they may be, or left alone: unrolling them makes
// much code, which takes long to compile, for little.
void annotate_loop(llvm::BranchInst& latch, MDNode* access_group) {
  llvm::LLVMContext& context = latch.getContext();
  auto text = [&](const char* name) { return llvm::MDString::get(context, name); };
  // The first operand of a loop's metadata is the node itself.
  llvm::SmallVector<llvm::Metadata*> properties = {nullptr};
  properties.push_back(MDNode::get(context, text("llvm.loop.unroll.disable")));
  if (access_group) {
    properties.push_back(MDNode::get(context, {text("llvm.loop.parallel_accesses"), access_group}));
  } else {
    auto* no = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
    properties.push_back(MDNode::get(context, {text("llvm.loop.vectorize.enable"), no}));
  }
  MDNode* loop = MDNode::getDistinct(context, properties);
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

std::vector<Value*> region_arguments(const GroupValues& group, bool is_packet,
                                     llvm::ArrayRef<Value*> inputs, Value* item,
                                     const std::array<Value*, 3>& local_id) {
  std::vector<Value*> arguments(kKernelArguments);
  arguments[kLaunch] = group.launch;
  arguments[kLocalMemory] = group.local_memory;
  arguments[kSpill] = group.spill;
  arguments[kItems] = group.items;
  arguments[kItem] = item;
  for (unsigned d = 0; d < 3; ++d) {
    arguments[kLocalId + d] = local_id[d];
    arguments[kGroupId + d] = group.group_id[d];
    arguments[kLocalSize + d] = group.local_size[d];
    arguments[kGlobalBase + d] = group.global_base[d];
  }
  llvm::append_range(arguments, is_packet ? group.packet_arguments : group.arguments);
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return arguments;
}

std::vector<Value*> load_inputs(IRBuilder<>& builder, const Region& region,
                                const GroupValues& group) {
  std::vector<Value*> values;
  for (const UniformInput& input : region.inputs) {
    Value* offset = builder.CreateMul(group.items, builder.getInt64(input.offset), "", true, true);
    Value* address = builder.CreateInBoundsGEP(builder.getInt8Ty(), group.spill, offset);
    values.push_back(builder.CreateAlignedLoad(input.type, address, llvm::Align(input.alignment)));
  }
  return values;
}

// Counts y and z along with the rows of a group.
class RowPosition {
 public:
  // To be called where the loop over rows begins.
  RowPosition(IRBuilder<>& builder, BasicBlock* before, Value* height)
      : builder_(builder), height_(height) {
    for (llvm::PHINode** position : {&y_, &z_}) {
      *position = builder.CreatePHI(builder.getInt64Ty(), 2);
      (*position)->addIncoming(builder.getInt64(0), before);
    }
  }
  Value* y() const { return y_; }
  Value* z() const { return z_; }

  // To be called in the block that ends with the loop's branch.
  void advance() {
    Value* y = builder_.CreateAdd(y_, builder_.getInt64(1), "", true, true);
    Value* wraps = builder_.CreateICmpEQ(y, height_);
    Value* z =
        builder_.CreateAdd(z_, builder_.CreateZExt(wraps, builder_.getInt64Ty()), "", true, true);
    y_->addIncoming(builder_.CreateSelect(wraps, builder_.getInt64(0), y),
                    builder_.GetInsertBlock());
    z_->addIncoming(z, builder_.GetInsertBlock());
  }

 private:
  IRBuilder<>& builder_;
  Value* height_;
  llvm::PHINode* y_;
  llvm::PHINode* z_;
};

// Emits the work-items of one row.
class RowEmitter {
 public:
  RowEmitter(IRBuilder<>& builder, const Region& region, const GroupValues& group,
             llvm::ArrayRef<Value*> inputs, const RowPosition& position, Value* row_begin)
      : builder_(builder),
        region_(region),
        group_(group),
        inputs_(inputs),
        position_(position),
        row_begin_(row_begin) {}

  // Work-items one by one from `begin` on, at least one.
  Value* emit_items(Value* begin, MDNode* access_group) {
    CountingLoop x(builder_, begin, group_.local_size[0], 1, "x");
    Value* next = call(region_.function, x.index());
    annotate_loop(*x.close(), access_group);
    return next;
  }

  // What is left of the row from `begin` on, as one packet.
  Value* emit_remainder(Value* begin) { return call(region_.remainder, begin); }

  // Full packets up to `end`, a multiple of the lanes and not 0.
  Value* emit_packets(Value* end) {
    CountingLoop x(builder_, builder_.getInt64(0), end, region_.lanes, "packet");
    Value* next = call(region_.packet, x.index());
    annotate_loop(*x.close(), nullptr);
    return next;
  }

 private:
  Value* call(llvm::Function* function, Value* x) {
    Value* item = builder_.CreateAdd(row_begin_, x, "item", true, true);
    return builder_.CreateCall(function,
                               region_arguments(group_, function != region_.function, inputs_, item,
                                                {x, position_.y(), position_.z()}),
                               "next");
  }

  IRBuilder<>& builder_;
  const Region& region_;
  const GroupValues& group_;
  llvm::ArrayRef<Value*> inputs_;
  const RowPosition& position_;
  Value* row_begin_;
};

// Emits `emit()`, which gives a value, under a condition; `otherwise` is the value without it.
template <class Emit>
Value* emit_if(IRBuilder<>& builder, Value* condition, Value* otherwise, Emit emit) {
  BasicBlock* before = builder.GetInsertBlock();
  llvm::LLVMContext& context = builder.getContext();
  BasicBlock* inside = BasicBlock::Create(context, "", before->getParent());
  BasicBlock* behind = BasicBlock::Create(context, "", before->getParent());
  builder.CreateCondBr(condition, inside, behind);
  builder.SetInsertPoint(inside);
  Value* value = emit();
  BasicBlock* end = builder.GetInsertBlock();
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind);
  llvm::PHINode* result = builder.CreatePHI(value->getType(), 2);
  result->addIncoming(otherwise, before);
  result->addIncoming(value, end);
  return result;
}

// Whether all ids of the group are below 2^31.
Value* has_small_ids(IRBuilder<>& builder, const GroupValues& group) {
  Value* small = builder.getTrue();
  for (unsigned d = 0; d < 3; ++d) {
    Value* end = builder.CreateAdd(group.global_base[d], group.local_size[d]);
    Value* fits = builder.CreateICmpULE(end, builder.getInt64(uint64_t{1} << 31));
    small = builder.CreateAnd(small, fits);
  }
  return builder.CreateAnd(small,
                           builder.CreateICmpULT(group.items, builder.getInt64(uint64_t{1} << 31)));
}

// Whether all ids of the group are below 2^31, and its rows fit where that matters.
Value* runs_in_packets(IRBuilder<>& builder, const Region& region, const GroupValues& group,
                       Value* row_count) {
  Value* small = has_small_ids(builder, group);
  if (!region.has_sub_groups) return small;
  return builder.CreateAnd(small,
                           fit_sub_groups(builder, group.local_size[0], row_count, region.lanes));
}

Value* emit_row_in_packets(IRBuilder<>& builder, RowEmitter& row, const Region& region,
                           const GroupValues& group, Value* in_packets) {
  Value* size = group.local_size[0];
  Value* none = builder.getInt64(0);
  Value* whole = builder.CreateAnd(size, builder.getInt64(~uint64_t{region.lanes - 1}));
  Value* end = builder.CreateSelect(in_packets, whole, none);
  Value* next = llvm::PoisonValue::get(region.function->getReturnType());
  if (region.packet)
    next = emit_if(builder, builder.CreateICmpNE(end, none), next,
                   [&] { return row.emit_packets(end); });
  Value* has_rest = builder.CreateICmpULT(end, size);
  if (region.remainder) {
    next = emit_if(builder, builder.CreateAnd(has_rest, in_packets), next,
                   [&] { return row.emit_remainder(end); });
    has_rest = builder.CreateNot(in_packets);
  }
  return emit_if(builder, has_rest, next, [&] { return row.emit_items(end, nullptr); });
}

}  // namespace

Value* emit_packet_loops(IRBuilder<>& builder, const Region& region, const GroupValues& group) {
  const bool has_packets = region.lanes > 1;
  MDNode* access_group = has_packets ? nullptr : mark_independent_accesses(*region.function);
  const auto& size = group.local_size;
  const std::vector<Value*> inputs = load_inputs(builder, region, group);
  Value* zero = builder.getInt64(0);
  Value* row_count = builder.CreateMul(size[1], size[2], "rows", true, true);
  Value* in_packets = has_packets ? runs_in_packets(builder, region, group, row_count) : nullptr;
  BasicBlock* before = builder.GetInsertBlock();
  CountingLoop rows(builder, zero, row_count, 1, "row");
  RowPosition position(builder, before, size[1]);
  Value* row_begin = builder.CreateMul(rows.index(), size[0], "", true, true);
  RowEmitter row(builder, region, group, inputs, position, row_begin);
  Value* next = has_packets ? emit_row_in_packets(builder, row, region, group, in_packets)
                            : row.emit_items(zero, access_group);
  position.advance();
  annotate_loop(*rows.close(), nullptr);
  return next;
}

}  // namespace conclave::compiler
