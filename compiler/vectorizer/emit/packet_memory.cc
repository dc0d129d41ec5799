// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_memory.h"

#include <llvm/IR/DataLayout.h>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_runs.h"
#include "compiler/vectorizer/emit/packet_access.h"
#include "compiler/vectorizer/emit/per_lane.h"
#include "compiler/vectorizer/emit/run_address.h"
#include "compiler/vectorizer/emit/two_forms.h"

namespace conclave::compiler {
namespace {

using llvm::Value;

// All lanes write to the same place: the last one that runs has its way.
void store_last(llvm::StoreInst& store, Value* mask, PacketValues& values) {
  llvm::IRBuilder<> builder(&store);
  Value* lane = mask ? last_lane(builder, mask) : builder.getInt32(values.lanes() - 1);
  llvm::Instruction* last = store.clone();
  last->setOperand(0, values.of_lane(builder, store.getValueOperand(), lane));
  builder.Insert(last);
}

// All lanes load from one place: that a block runs means that some lane does.
void load_once(llvm::LoadInst& load, PacketValues& values) {
  llvm::IRBuilder<> builder(&load);
  values.define(&load, values.repeat(builder, builder.Insert(load.clone())));
}

// A load or store being rewritten, in the one or two forms that its address allows. `emit_form`
// emits one and returns its parts.
template <class Emit>
class Rewrite {
 public:
  Rewrite(llvm::Instruction& instruction, Value* mask, PacketValues& values,
          const llvm::TargetTransformInfo* target, Emit emit_form)
      : instruction_(instruction),
        pointer_(llvm::getLoadStorePointerOperand(&instruction)),
        mask_(mask),
        values_(values),
        target_(target),
        emit_form_(emit_form) {}

  // One access goes to each lane's place, as a volatile one has to, where all lanes load from one
  // place, or access a run, or one unless an index wraps around.
  bool has_packet_form() {
    if (instruction_.isAtomic() || !access(&instruction_, 0).has_packet_form()) return false;
    if (!instruction_.isVolatile()) return true;
    if (values_.is_uniform(pointer_)) return llvm::isa<llvm::LoadInst>(instruction_);
    const auto stride = values_.stride(pointer_);
    if (!stride && values_.offsets(pointer_)) return false;
    return access(&instruction_, stride ? stride : values_.assumed_stride(pointer_)).is_run();
  }

  Parts emit() {
    const auto stride = values_.stride(pointer_);
    if (stride) return mask_ && prefers_whole(*stride) ? emit_whole_or_masked() : emit_plain();
    if (values_.offsets(pointer_)) return emit_form(access(&instruction_, stride));
    if (values_.assumed_stride(pointer_)) return emit_checked();
    if (auto run = find_lane_run(pointer_, instruction_.getDataLayout(), values_.patterns());
        run && is_worth_asking_for(*run))
      return emit_run(*run);
    return emit_plain();
  }

 private:
  PacketAccess access(llvm::Instruction* position, std::optional<int64_t> stride) {
    return access(position, pointer_, stride, mask_);
  }

  PacketAccess access(llvm::Instruction* position, Value* pointer, std::optional<int64_t> stride,
                      Value* mask) {
    const LaneOffsets* offsets = stride ? nullptr : values_.offsets(pointer);
    LaneMemory memory{{},
                      pointer,
                      stride,
                      offsets ? *offsets : LaneOffsets(),
                      stride || offsets ? nullptr : values_.vector(pointer),
                      llvm::getLoadStoreAlignment(&instruction_),
                      mask,
                      {&instruction_}};
    add_elements(llvm::getLoadStoreType(&instruction_), 0, instruction_.getDataLayout(),
                 memory.elements);
    return {std::move(memory), position, values_.lanes(), target_};
  }

  Parts emit_form(PacketAccess form) { return emit_form_(form); }

  // Rows of 16 bytes that are only copied are accessed as such, wherever their lanes are: there is no
  // transposition while there is one way to do it.
  bool is_worth_asking_for(const LaneRun& run) {
    return tuning().lane_runs && access(&instruction_, run.stride).is_contiguous() &&
           !(is_copy() && access(&instruction_, std::nullopt).is_in_rows());
  }

  // Whether what is loaded is only stored, or what is stored has just been loaded.
  bool is_copy() const {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction_))
      return llvm::isa<llvm::LoadInst>(store->getValueOperand());
    return llvm::all_of(instruction_.users(), [&](const llvm::User* user) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      return store && store->getValueOperand() == &instruction_;
    });
  }

  // Reports a form that is slower than one access for all lanes.
  void remark(const char* form) { values_.remarks().memory(instruction_, form); }

  Parts emit_plain() {
    const auto stride = values_.stride(pointer_);
    if (!stride) remark(llvm::isa<llvm::LoadInst>(instruction_) ? "gather" : "scatter");
    return emit_form(access(&instruction_, stride));
  }

  // If masked accesses cost much more, contiguous ones have a second version without a mask for
  // packets whose lanes all run, as most do.
  bool prefers_whole(int64_t stride) {
    PacketAccess form = access(&instruction_, stride);
    return form.is_contiguous() && form.is_mask_dear();
  }

  Value* all_run(llvm::IRBuilderBase& builder) {
    Value* lanes = builder.CreateFreeze(mask_bits(builder, mask_));
    return builder.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(lanes->getType()));
  }

  Parts emit_whole_or_masked() {
    const auto stride = values_.stride(pointer_);
    llvm::IRBuilder<> builder(&instruction_);
    return emit_either(
        instruction_, all_run(builder),
        [&](auto* position) { return emit_form(access(position, pointer_, stride, nullptr)); },
        [&](auto* position) { return emit_form(access(position, pointer_, stride, mask_)); });
  }

  // Where lanes may wrap: a stride that is assumed is made use of if it is checked before.
  Parts emit_checked() {
    const auto stride = values_.assumed_stride(pointer_);
    if (!access(&instruction_, stride).is_contiguous()) return emit_plain();
    remark("contiguous only where no index wraps around");
    llvm::IRBuilder<> builder(&instruction_);
    Value* condition = builder.CreateFreeze(values_.no_lane_wraps(pointer_));
    return emit_either(
        instruction_, condition,
        [&](auto* position) { return emit_form(access(position, stride)); },
        [&](auto* position) { return emit_form(access(position, std::nullopt)); });
  }

  Parts emit_run(const LaneRun& run) {
    remark("contiguous only where the lanes' addresses follow one another");
    llvm::IRBuilder<> builder(&instruction_);
    const RunAddress address(run, mask_, builder, values_);
    Value* condition = address.is_there();
    Value* mask = mask_;
    if (mask && access(&instruction_, run.stride).is_mask_dear()) {
      condition = builder.CreateAnd(condition, all_run(builder));
      mask = nullptr;
    }
    return emit_either(
        instruction_, condition,
        [&](auto* position) {
          llvm::IRBuilder<> at(position);
          return emit_form(access(position, address.pointer(at), run.stride, mask));
        },
        [&](auto* position) { return emit_once_or_any(*position, run, address); });
  }

  // Lanes that do not follow one another may all have one place.
  Parts emit_once_or_any(llvm::Instruction& position, const LaneRun& run,
                         const RunAddress& address) {
    const auto emit_any = [&](auto* at) { return emit_form(access(at, std::nullopt)); };
    if (!run.may_be_one_place || !llvm::isa<llvm::LoadInst>(instruction_) ||
        instruction_.isVolatile())
      return emit_any(&position);
    llvm::IRBuilder<> builder(&position);
    return emit_either(
        position, address.is_one_place(builder),
        [&](auto* at) {
          llvm::IRBuilder<> here(at);
          llvm::Instruction* once = instruction_.clone();
          once->setOperand(0, address.place(here));
          return values_.repeat(here, here.Insert(once));
        },
        emit_any);
  }

  llvm::Instruction& instruction_;
  Value* pointer_;
  Value* mask_;
  PacketValues& values_;
  const llvm::TargetTransformInfo* target_;
  Emit emit_form_;
};

}  // namespace

void packetize_load(llvm::LoadInst& load, Value* mask, PacketValues& values,
                    const llvm::TargetTransformInfo* target) {
  Rewrite rewrite(load, mask, values, target, [](PacketAccess& form) { return form.load(); });
  if (!rewrite.has_packet_form()) return run_per_lane(load, mask, values);
  if (values.is_uniform(load.getPointerOperand())) return load_once(load, values);
  values.define(&load, rewrite.emit());
}

void packetize_store(llvm::StoreInst& store, Value* mask, PacketValues& values,
                     const llvm::TargetTransformInfo* target) {
  if (!store.isVolatile() && values.is_uniform(store.getPointerOperand()))
    return store_last(store, mask, values);
  Rewrite rewrite(store, mask, values, target, [&](PacketAccess& form) {
    form.store(values.parts(store.getValueOperand()));
    return Parts();
  });
  if (!rewrite.has_packet_form()) return run_per_lane(store, mask, values);
  rewrite.emit();
}

}  // namespace conclave::compiler
