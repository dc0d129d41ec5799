// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/packet_loop.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/memory_access.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::MDNode;
using llvm::Value;

// A loop `do { ... } while ((index += step) < end)`: no work-group is empty.
class CountingLoop {
 public:
  CountingLoop(IRBuilder<>& builder, Value* end, uint64_t step, const char* name)
      : builder_(builder), end_(end), step_(step) {
    BasicBlock* before = builder.GetInsertBlock();
    body_ = BasicBlock::Create(builder.getContext(), name, before->getParent());
    builder.CreateBr(body_);
    builder.SetInsertPoint(body_);
    index_ = builder.CreatePHI(builder.getInt64Ty(), 2, name);
    index_->addIncoming(builder.getInt64(0), before);
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

// Loops over work-items are vectorized or left alone: unrolling them makes much code, which takes
// long to compile, for little.
void annotate_loop(llvm::BranchInst& latch, MDNode* access_group = nullptr) {
  llvm::LLVMContext& context = latch.getContext();
  auto text = [&](const char* name) { return llvm::MDString::get(context, name); };
  // The first operand of a loop's metadata is the node itself.
  llvm::SmallVector<llvm::Metadata*> properties = {nullptr};
  properties.push_back(MDNode::get(context, text("llvm.loop.unroll.disable")));
  if (access_group)
    properties.push_back(MDNode::get(context, {text("llvm.loop.parallel_accesses"), access_group}));
  MDNode* loop = MDNode::getDistinct(context, properties);
  loop->replaceOperandWith(0, loop);
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

std::vector<Value*> region_arguments(const GroupValues& group, Value* item,
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
  arguments.insert(arguments.end(), group.arguments.begin(), group.arguments.end());
  return arguments;
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

}  // namespace

Value* emit_packet_loops(IRBuilder<>& builder, const Region& region, const GroupValues& group) {
  MDNode* access_group = mark_independent_accesses(*region.function);
  const auto& size = group.local_size;
  BasicBlock* before = builder.GetInsertBlock();
  CountingLoop rows(builder, builder.CreateMul(size[1], size[2], "rows", true, true), 1, "row");
  RowPosition position(builder, before, size[1]);
  Value* row_begin = builder.CreateMul(rows.index(), size[0], "", true, true);
  CountingLoop x(builder, size[0], kLanes, "x");
  Value* item = builder.CreateAdd(row_begin, x.index(), "item", true, true);
  Value* next = builder.CreateCall(
      region.function, region_arguments(group, item, {x.index(), position.y(), position.z()}),
      "next");
  annotate_loop(*x.close(), access_group);
  position.advance();
  annotate_loop(*rows.close());
  return next;
}

}  // namespace conclave::compiler
