// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/streaming_stores.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "compiler/passes/address_spaces.h"
#include "compiler/passes/region.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// What a launch writes at least: as much as the last cache of a usual CPU.
constexpr uint64_t kLargeBytes = uint64_t{32} << 20;

constexpr uint64_t kLineBytes = 64;

// Nothing may depend on the order of stores, or be written again and again.
bool may_stream(llvm::Function& packet) {
  for (const Instruction& instruction : llvm::instructions(packet)) {
    if (instruction.isAtomic() || instruction.isVolatile()) return false;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && !llvm::isa<llvm::IntrinsicInst>(call)) return false;
  }
  const llvm::DominatorTree dominators(packet);
  return llvm::LoopInfo(dominators).empty();
}

const Value* buffer_of(const Value* pointer) {
  return llvm::getUnderlyingObject(pointer);
}

// Whether whole lines are written, if to the begin of one.
bool writes_lines(const llvm::StoreInst& store) {
  const llvm::Type* type = store.getValueOperand()->getType();
  const uint64_t bytes = type->getPrimitiveSizeInBits() / 8;
  return type->isVectorTy() && bytes != 0 && bytes % kLineBytes == 0 &&
         store.getPointerAddressSpace() == kGlobalAddressSpace &&
         llvm::isa<llvm::Argument>(buffer_of(store.getPointerOperand()));
}

std::vector<llvm::StoreInst*> find_streams(llvm::Function& packet) {
  llvm::SmallPtrSet<const Value*, 4> read;
  std::vector<llvm::StoreInst*> stores;
  for (Instruction& instruction : llvm::instructions(packet)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      read.insert(buffer_of(load->getPointerOperand()));
    else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      for (const Value* argument : call->args())
        if (argument->getType()->isPtrOrPtrVectorTy() && call->mayReadFromMemory())
          read.insert(buffer_of(argument));
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && writes_lines(*store))
      stores.push_back(store);
  }
  llvm::erase_if(stores, [&](const llvm::StoreInst* store) {
    return read.contains(buffer_of(store->getPointerOperand()));
  });
  return stores;
}

// Work-items of the launch; constant while it runs.
Value* count_items(llvm::Function& packet) {
  llvm::BasicBlock& entry = packet.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  Value* items = builder.getInt64(1);
  for (unsigned d = 0; d < 3; ++d) {
    Value* place = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), packet.getArg(kLaunch),
        offsetof(abi::Launch, global_size) + d * sizeof(uint64_t));
    llvm::LoadInst* size = builder.CreateAlignedLoad(builder.getInt64Ty(), place, llvm::Align(8));
    size->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(packet.getContext(), {}));
    items = builder.CreateMul(items, size);
  }
  return items;
}

}  // namespace

bool stream_stores(llvm::Function& packet) {
  if (!may_stream(packet)) return false;
  const std::vector<llvm::StoreInst*> stores = find_streams(packet);
  if (stores.empty()) return false;
  Value* items = count_items(packet);
  for (llvm::StoreInst* store : stores) {
    llvm::IRBuilder<> builder(store);
    const uint64_t item_bytes = store->getValueOperand()->getType()->getScalarSizeInBits() / 8;
    Value* is_large = builder.CreateICmpUGE(items, builder.getInt64(kLargeBytes / item_bytes));
    Value* address = builder.CreatePtrToInt(store->getPointerOperand(), builder.getInt64Ty());
    Value* place = builder.CreateAnd(address, builder.getInt64(kLineBytes - 1));
    Value* past = builder.CreateAnd(is_large, builder.CreateICmpEQ(place, builder.getInt64(0)));
    Instruction* streamed = nullptr;
    Instruction* usual = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(past, store->getIterator(), &streamed, &usual);
    auto* line = llvm::cast<llvm::StoreInst>(store->clone());
    line->setAlignment(llvm::Align(kLineBytes));
    llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder.getInt32(1));
    line->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(packet.getContext(), one));
    line->insertBefore(streamed);
    store->moveBefore(usual);
  }
  return true;
}

void emit_fence_behind_streams(llvm::IRBuilder<>& builder) {
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

}  // namespace conclave::compiler
