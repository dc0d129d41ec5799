// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/streaming_stores.h"

#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>
#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// The numbers of the parameters that are buffers.
using Buffers = llvm::SmallSet<unsigned, 8>;

// Stores to one buffer between which nothing else is done to memory.
using Streams = std::vector<llvm::StoreInst*>;

constexpr uint64_t kLineBytes = TargetModel::kLineBytes;

// Nothing may depend on the order of stores.
bool has_order(llvm::Function& form) {
  return llvm::any_of(llvm::instructions(form), [](const Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return instruction.isAtomic() || instruction.isVolatile() ||
           (call && !llvm::isa<llvm::IntrinsicInst>(call));
  });
}

// Returns the functions that run packets or, if there are none, work-items one by one.
std::vector<llvm::Function*> forms_of(const Region& region) {
  std::vector<llvm::Function*> forms = region.packet_forms();
  if (forms.empty()) forms.push_back(region.function);
  return forms;
}

// Whether a group may run it again.
bool is_in_loop(const std::vector<Region>& regions, size_t index) {
  llvm::SmallSet<int, 8> seen;
  llvm::SmallVector<int> left(regions[index].successors.begin(), regions[index].successors.end());
  while (!left.empty()) {
    const int next = left.pop_back_val();
    if (next == kKernelEnd || !seen.insert(next).second) continue;
    llvm::append_range(left, regions[static_cast<size_t>(next)].successors);
  }
  return seen.contains(static_cast<int>(index));
}

bool has_loops(llvm::Function& form) {
  const llvm::DominatorTree dominators(form);
  return !llvm::LoopInfo(dominators).empty();
}

bool has_masked_stores(llvm::Function& form) {
  return llvm::any_of(llvm::instructions(form), [](const Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call && call->getIntrinsicID() == llvm::Intrinsic::masked_store;
  });
}

// The buffer that one pointer or those of all lanes are into, if that is known.
std::optional<unsigned> buffer_of(const Value* pointer) {
  while (true) {
    if (auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(pointer))
      pointer = element->getVectorOperand();
    else if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer))
      pointer = address->getPointerOperand();
    else if (const Value* all = llvm::getSplatValue(pointer))
      pointer = all;
    else
      break;
  }
  auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  if (!argument) return std::nullopt;
  return argument->getArgNo();
}

void add_buffers_read(llvm::Function& form, Buffers& buffers) {
  const auto add = [&](const Value* pointer) {
    if (const auto buffer = buffer_of(pointer)) buffers.insert(*buffer);
  };
  for (Instruction& instruction : llvm::instructions(form)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) add(load->getPointerOperand());
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || !call->mayReadFromMemory()) continue;
    for (const Value* argument : call->args())
      if (argument->getType()->isPtrOrPtrVectorTy()) add(argument);
  }
}

// Whether whole lines are written, if to the begin of one.
bool writes_lines(const llvm::StoreInst& store) {
  const llvm::Type* type = store.getValueOperand()->getType();
  const uint64_t bytes = type->getPrimitiveSizeInBits() / 8;
  return type->isVectorTy() && bytes != 0 && bytes % kLineBytes == 0 &&
         store.getPointerAddressSpace() == kGlobalAddressSpace;
}

std::vector<Streams> find_streams(llvm::Function& form, const Buffers& read) {
  std::vector<Streams> all;
  for (llvm::BasicBlock& block : form) {
    std::optional<unsigned> last;  // the buffer of the streams that may go on
    for (Instruction& instruction : block) {
      if (!instruction.mayReadOrWriteMemory()) continue;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const bool has_lines = store && writes_lines(*store);
      const auto buffer = has_lines ? buffer_of(store->getPointerOperand()) : std::nullopt;
      const bool continues = buffer && buffer == last;
      last = buffer && !read.contains(*buffer) ? buffer : std::nullopt;
      if (!last) continue;
      if (!continues) all.emplace_back();
      all.back().push_back(store);
    }
  }
  return all;
}

llvm::LoadInst* load_global_size(llvm::IRBuilder<>& builder, unsigned dimension) {
  return load_from_launch(builder, builder.getInt64Ty(),
                          offsetof(abi::Launch, global_size) + dimension * sizeof(uint64_t));
}

// Work-items of a launch whose stores may stream; 0 for others. Constant while it runs.
Value* count_items(llvm::Function& form, unsigned row_dimension) {
  llvm::BasicBlock& entry = form.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  Value* items = builder.getInt64(1);
  for (unsigned d = 0; d < 3; ++d) items = builder.CreateMul(items, load_global_size(builder, d));
  if (!has_masked_stores(form)) return items;
  Value* row = load_global_size(builder, row_dimension);
  return builder.CreateSelect(builder.CreateICmpUGE(row, builder.getInt64(tuning().streaming_row)),
                              items, builder.getInt64(0));
}

// Whether the launch is large and all of the stores are to the begin of lines.
Value* emit_may_stream(llvm::IRBuilder<>& builder, const Streams& stores, Value* items,
                       const TargetModel& cpu) {
  const uint64_t item_bytes = stores[0]->getValueOperand()->getType()->getScalarSizeInBits() / 8;
  Value* is_large = builder.CreateICmpUGE(items, builder.getInt64(cpu.caches.last / item_bytes));
  Value* addresses = builder.getInt64(0);
  for (llvm::StoreInst* store : stores)
    addresses = builder.CreateOr(
        addresses, builder.CreatePtrToInt(store->getPointerOperand(), builder.getInt64Ty()));
  Value* place = builder.CreateAnd(addresses, builder.getInt64(kLineBytes - 1));
  return builder.CreateAnd(is_large, builder.CreateICmpEQ(place, builder.getInt64(0)));
}

void stream(const Streams& stores, Value* items, const TargetModel& cpu) {
  llvm::StoreInst* last = stores.back();
  llvm::IRBuilder<> builder(last);
  Value* may_stream = emit_may_stream(builder, stores, items, cpu);
  Instruction* streamed = nullptr;
  Instruction* usual = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(may_stream, last->getIterator(), &streamed, &usual);
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder.getInt32(1));
  for (llvm::StoreInst* store : stores) {
    auto* line = llvm::cast<llvm::StoreInst>(store->clone());
    line->setAlignment(llvm::Align(kLineBytes));
    line->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(last->getContext(), one));
    line->insertBefore(streamed);
    store->moveBefore(usual);
  }
}

bool stream_stores(llvm::Function& form, unsigned row_dimension, const Buffers& read,
                   const TargetModel& cpu) {
  if (has_loops(form)) return false;
  const std::vector<Streams> streams = find_streams(form, read);
  if (streams.empty()) return false;
  Value* items = count_items(form, row_dimension);
  for (const Streams& stores : streams) stream(stores, items, cpu);
  return true;
}

void stream_stores(std::vector<Region>& regions, const TargetModel& cpu) {
  if (regions.size() > tuning().streaming_regions) return;
  Buffers read;
  for (const Region& region : regions)
    for (llvm::Function* form : forms_of(region)) {
      if (has_order(*form)) return;
      add_buffers_read(*form, read);
    }
  for (size_t i = 0; i < regions.size(); ++i) {
    if (is_in_loop(regions, i)) continue;
    for (llvm::Function* form : regions[i].packet_forms())
      regions[i].streams |= stream_stores(*form, regions[i].dimension, read, cpu);
  }
}

}  // namespace

llvm::PreservedAnalyses StreamStores::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& analyses) const {
  for (RegionedKernel& kernel : program_of(module, analyses).kernels) {
    stream_stores(kernel.regions, cpu);
    stream_stores(kernel.other_regions, cpu);
  }
  return llvm::PreservedAnalyses::none();
}

void emit_fence_behind_streams(llvm::IRBuilder<>& builder) {
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

}  // namespace conclave::compiler
