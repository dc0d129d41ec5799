// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/quick_checks.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Support/KnownBits.h>

#include <cstddef>

#include "compiler/check/check_regions.h"
#include "compiler/vectorizer/analysis/lane_masks.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

using Group = llvm::MapVector<Value*, llvm::SmallVector<CheckedAccess, 4>>;

bool is_argument(const CheckedAccess& access) {
  return access.object.kind == CheckedObject::Kind::kArgument;
}

Group by_argument(llvm::ArrayRef<CheckedAccess> accesses) {
  Group group;
  for (const CheckedAccess& access : accesses)
    if (is_argument(access) && !access.object.is_local)
      group[access.object.value].push_back(access);
  return group;
}

// Emits `body` for where `condition` holds; returns its result, or false where it does not.
Value* emit_if(IRBuilder<>& builder, Value* condition, llvm::function_ref<Value*()> body) {
  BasicBlock* before = builder.GetInsertBlock();
  llvm::Function* function = before->getParent();
  BasicBlock* behind =
      BasicBlock::Create(builder.getContext(), "check.on", function, before->getNextNode());
  BasicBlock* inside = BasicBlock::Create(builder.getContext(), "check.if", function, behind);
  builder.CreateCondBr(condition, inside, behind);
  builder.SetInsertPoint(inside);
  Value* result = body();
  BasicBlock* end = builder.GetInsertBlock();
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind);
  if (!result) return nullptr;
  llvm::PHINode* phi = builder.CreatePHI(result->getType(), 2);
  phi->addIncoming(builder.getFalse(), before);
  phi->addIncoming(result, end);
  return phi;
}

Value* either(IRBuilder<>& builder, Value* a, Value* b) {
  return !a ? b : !b ? a : builder.CreateOr(a, b);
}

Value* any_of(IRBuilder<>& builder, Value* condition) {
  return condition ? create_any(builder, condition) : nullptr;
}

}  // namespace

void ObjectUses::add(const CheckedAccess& access) {
  if (access.object.kind == CheckedObject::Kind::kUnknown)
    has_unknown_writes |= access.is_write();
  else if (access.is_write())
    written.insert(access.object.value);
  else if (access.is_plain_read())
    read.insert(access.object.value);
}

Value* QuickChecks::any_misplaced(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  Value* misplaced = nullptr;
  Value* askew = nullptr;
  llvm::SmallDenseMap<std::pair<Value*, Value*>, bool> known;
  for (const CheckedAccess& access : accesses) {
    Value* offset = values_.offset(builder, access.pointer(), values_.base(access.object));
    Value* limit = values_.limit(access.object, access.bytes);
    if (!known.try_emplace({access.pointer(), limit}, true).second) continue;
    misplaced = either(builder, misplaced, create_outside(builder, offset, limit));
    if (access.alignment <= 1) continue;
    const llvm::KnownBits bits =
        llvm::computeKnownBits(offset, builder.GetInsertBlock()->getDataLayout());
    if (bits.countMinTrailingZeros() >= llvm::Log2_64(access.alignment)) continue;
    Value* low = builder.CreateAnd(offset, builder.getInt64(access.alignment - 1));
    askew = either(builder, askew, builder.CreateIsNotNull(low));
  }
  return either(builder, misplaced, any_of(builder, askew));
}

bool QuickChecks::is_in_shadow(const CheckedAccess& access) const {
  return access.object.is_local || is_argument(access);
}

// Who reads matters only where somebody may write.
bool QuickChecks::tracks_readers(const CheckedAccess& access) const {
  const ObjectUses& uses = access.object.is_local ? in_region_ : in_kernel_;
  return uses.is_read(access.object) && uses.is_written(access.object);
}

Value* QuickChecks::are_tracked(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  Value* tracked = nullptr;
  for (const CheckedAccess& access : accesses)
    if (access.object.is_local) return builder.getTrue();
  for (auto& [value, own] : by_argument(accesses)) {
    Value* init = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, init));
    Value* tags = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, writers));
    tracked = either(builder, tracked, values_.is_not_zero(init));
    tracked = either(builder, tracked, values_.is_not_zero(tags));
  }
  return tracked;
}

Value* QuickChecks::any_doubtful(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  Value* doubt = nullptr;
  for (auto& [value, own] : by_argument(accesses)) {
    Value* init = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, init));
    Value* tags = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, writers));
    const auto all = [&](Value* (QuickChecks::*one)(IRBuilder<>&, const CheckedAccess&)) {
      Value* any = nullptr;
      for (const CheckedAccess& access : own)
        any = either(builder, any, (this->*one)(builder, access));
      return any ? any : builder.getFalse();
    };
    doubt = either(builder, doubt, emit_if(builder, values_.is_not_zero(init), [&] {
                     return all(&QuickChecks::init_doubt);
                   }));
    doubt = either(builder, doubt, emit_if(builder, values_.is_not_zero(tags), [&] {
                     return all(&QuickChecks::tag_doubt);
                   }));
  }
  for (const CheckedAccess& access : accesses)
    if (access.object.is_local) doubt = either(builder, doubt, tag_doubt(builder, access));
  return any_of(builder, doubt);
}

void QuickChecks::note(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  for (auto& [value, own] : by_argument(accesses)) {
    Value* init = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, init));
    Value* tags = values_.memory_field(own[0].object, offsetof(abi::CheckedMemory, writers));
    const auto writes = [](const CheckedAccess& access) { return access.is_write(); };
    if (llvm::any_of(own, writes))
      emit_if(builder, values_.is_not_zero(init), [&]() -> Value* {
        for (const CheckedAccess& access : own)
          if (access.is_write()) note_init(builder, access);
        return nullptr;
      });
    const auto notes = [&](const CheckedAccess& access) {
      return access.is_write() || tracks_readers(access);
    };
    if (llvm::any_of(own, notes))
      emit_if(builder, values_.is_not_zero(tags), [&]() -> Value* {
        for (const CheckedAccess& access : own) note_tags(builder, access);
        return nullptr;
      });
  }
  for (const CheckedAccess& access : accesses)
    if (access.object.is_local) note_tags(builder, access);
}

void QuickChecks::forget_writes(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  for (const CheckedAccess& access : accesses) {
    if (access.kind != abi::CheckedAccess::kWrite || !is_in_shadow(access)) continue;
    const auto forget = [&]() -> Value* {
      store_tags(builder, builder.getInt64(0), access);
      return nullptr;
    };
    if (access.object.is_local) {
      forget();
      continue;
    }
    Value* tags = values_.memory_field(access.object, offsetof(abi::CheckedMemory, writers));
    emit_if(builder, values_.is_not_zero(tags), forget);
  }
}

Value* QuickChecks::any_overwritten(IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses) {
  Value* lost = nullptr;
  const auto is_lost = [&](const CheckedAccess& access) {
    Value* now = create_reread(builder, tags_of(builder, access, false));
    return builder.CreateICmpNE(now, values_.tag(access.object.is_local));
  };
  for (const CheckedAccess& access : accesses) {
    if (access.kind != abi::CheckedAccess::kWrite || !is_in_shadow(access)) continue;
    Value* one = nullptr;
    if (access.object.is_local) {
      one = is_lost(access);
    } else {
      Value* tags = values_.memory_field(access.object, offsetof(abi::CheckedMemory, writers));
      one = emit_if(builder, values_.is_not_zero(tags), [&] { return is_lost(access); });
    }
    lost = either(builder, lost, one);
  }
  return any_of(builder, lost);
}

// Tags lie eight bytes apart for each granule.
Value* QuickChecks::tags_of(IRBuilder<>& builder, const CheckedAccess& access, bool readers) {
  const CheckedObject& object = access.object;
  Value* origin = object.is_local ? values_.local_memory() : values_.base(object);
  Value* tags = nullptr;
  if (object.is_local)
    tags = values_.unit_field(readers ? offsetof(abi::CheckUnit, local_readers)
                                      : offsetof(abi::CheckUnit, local_writers));
  else
    tags = values_.memory_field(object, readers ? offsetof(abi::CheckedMemory, readers)
                                                : offsetof(abi::CheckedMemory, writers));
  Value* offset = values_.offset(builder, access.pointer(), origin);
  const uint64_t scale = sizeof(uint64_t) / granules_.of(object);
  Value* distance = builder.CreateMul(offset, builder.getInt64(scale));
  return builder.CreateGEP(builder.getInt8Ty(), values_.as_pointer(tags), distance);
}

llvm::Type* QuickChecks::tag_type(const CheckedAccess& access) const {
  llvm::Type* number = llvm::Type::getInt64Ty(access.instruction->getContext());
  const uint64_t count = access.bytes / granules_.of(access.object);
  return count > 1 ? llvm::FixedVectorType::get(number, static_cast<unsigned>(count)) : number;
}

Value* QuickChecks::splat(IRBuilder<>& builder, Value* value, const CheckedAccess& access) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(tag_type(access));
  return vector ? builder.CreateVectorSplat(vector->getNumElements(), value) : value;
}

Value* QuickChecks::any_element(IRBuilder<>& builder, Value* condition) {
  return condition->getType()->isVectorTy() ? builder.CreateOrReduce(condition) : condition;
}

// Whether tags are as new as it matters, and another work-item's.
Value* QuickChecks::is_others(IRBuilder<>& builder, Value* tags, const CheckedAccess& access) {
  const bool is_local = access.object.is_local;
  Value* least = values_.unit_field(is_local ? offsetof(abi::CheckUnit, local_tag)
                                             : offsetof(abi::CheckUnit, launch_tag));
  Value* is_new = builder.CreateICmpSGE(tags, splat(builder, least, access));
  Value* own = splat(builder, values_.tag(is_local), access);
  llvm::Type* item = builder.getInt32Ty()->getWithNewBitWidth(abi::kTagItemBits);
  item = tags->getType()->getWithNewType(item);
  Value* differs = is_local ? builder.CreateICmpNE(tags, own)
                            : builder.CreateICmpNE(builder.CreateTrunc(tags, item),
                                                   builder.CreateTrunc(own, item));
  return builder.CreateAnd(is_new, differs);
}

llvm::Type* QuickChecks::init_type(const CheckedAccess& access) const {
  llvm::LLVMContext& context = access.instruction->getContext();
  const auto bits = static_cast<unsigned>(access.bytes * 8 / access.elements);
  llvm::Type* element = llvm::IntegerType::get(context, bits);
  return access.elements > 1 ? llvm::FixedVectorType::get(element, access.elements) : element;
}

Value* QuickChecks::init_address(IRBuilder<>& builder, const CheckedAccess& access) {
  Value* shadow = values_.memory_field(access.object, offsetof(abi::CheckedMemory, init));
  Value* offset = values_.offset(builder, access.pointer(), values_.base(access.object));
  return builder.CreateGEP(builder.getInt8Ty(), values_.as_pointer(shadow), offset);
}

Value* QuickChecks::init_doubt(IRBuilder<>& builder, const CheckedAccess& access) {
  if (access.kind == abi::CheckedAccess::kWrite || is_partial_read(*access.instruction))
    return nullptr;
  llvm::Type* type = init_type(access);
  Value* shadow =
      builder.CreateAlignedLoad(type, init_address(builder, access), llvm::Align(access.alignment));
  return any_element(builder, builder.CreateICmpNE(shadow, llvm::Constant::getAllOnesValue(type)));
}

void QuickChecks::note_init(IRBuilder<>& builder, const CheckedAccess& access) {
  builder.CreateAlignedStore(llvm::Constant::getAllOnesValue(init_type(access)),
                             init_address(builder, access), llvm::Align(access.alignment));
}

Value* QuickChecks::tag_doubt(IRBuilder<>& builder, const CheckedAccess& access) {
  const bool is_local = access.object.is_local;
  Value* writers =
      builder.CreateAlignedLoad(tag_type(access), tags_of(builder, access, false), llvm::Align(8));
  Value* doubt = nullptr;
  if (access.kind == abi::CheckedAccess::kAtomic)
    doubt = is_plain_write(builder, writers, access);
  else if (access.kind == abi::CheckedAccess::kAtomicRead)
    doubt = builder.CreateAnd(is_plain_write(builder, writers, access),
                              is_others(builder, writers, access));
  else if (access.is_write() || !is_local || in_region_.is_written(access.object))
    doubt = is_others(builder, writers, access);
  // Local memory has been written where its tags are of this group.
  const bool reads = access.kind != abi::CheckedAccess::kWrite;
  if (reads && is_local && !is_partial_read(*access.instruction)) {
    Value* group = values_.unit_field(offsetof(abi::CheckUnit, group_tag));
    doubt = either(builder, doubt, builder.CreateICmpSLT(writers, splat(builder, group, access)));
  }
  if (tracks_readers(access) && (access.is_write() || (access.is_plain_read() && !is_local))) {
    Value* readers =
        builder.CreateAlignedLoad(tag_type(access), tags_of(builder, access, true), llvm::Align(8));
    doubt = either(builder, doubt, is_others(builder, readers, access));
  }
  return doubt ? any_element(builder, doubt) : nullptr;
}

// Atomic operations are no race with each other.
Value* QuickChecks::is_plain_write(IRBuilder<>& builder, Value* tags, const CheckedAccess& access) {
  Value* least = values_.unit_field(access.object.is_local ? offsetof(abi::CheckUnit, local_tag)
                                                           : offsetof(abi::CheckUnit, launch_tag));
  Value* is_new = builder.CreateICmpSGE(tags, splat(builder, least, access));
  Value* atomic =
      builder.CreateAnd(tags, splat(builder, builder.getInt64(abi::kAtomicItem), access));
  return builder.CreateAnd(is_new, builder.CreateIsNull(atomic));
}

void QuickChecks::store_tags(IRBuilder<>& builder, Value* tags, const CheckedAccess& access) {
  builder.CreateAlignedStore(splat(builder, tags, access), tags_of(builder, access, false),
                             llvm::Align(8));
}

void QuickChecks::note_tags(IRBuilder<>& builder, const CheckedAccess& access) {
  const bool is_local = access.object.is_local;
  Value* tag = values_.tag(is_local);
  if (access.kind == abi::CheckedAccess::kAtomic)
    return store_tags(builder, builder.CreateOr(tag, abi::kAtomicItem), access);
  if (access.is_write()) return store_tags(builder, tag, access);
  if (!access.is_plain_read() || !tracks_readers(access)) return;
  Value* own = splat(builder, tag, access);
  Value* address = tags_of(builder, access, true);
  if (is_local) {
    Value* before = builder.CreateAlignedLoad(own->getType(), address, llvm::Align(8));
    Value* many = builder.CreateAdd(values_.unit_field(offsetof(abi::CheckUnit, local_tag)),
                                    builder.getInt64(abi::kManyItems));
    own =
        builder.CreateSelect(is_others(builder, before, access), splat(builder, many, access), own);
  }
  builder.CreateAlignedStore(own, address, llvm::Align(8));
}

}  // namespace conclave::compiler
