// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/checked_access.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "compiler/base/address_spaces.h"
#include "compiler/base/region.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using Kind = CheckedObject::Kind;

bool has_bounds(const llvm::Argument& argument) {
  const unsigned space = argument.getType()->getPointerAddressSpace();
  return argument.getArgNo() >= kKernelArguments && space != kPrivateAddressSpace;
}

CheckedObject classify_object(llvm::Value* value) {
  if (llvm::isa<llvm::AllocaInst>(value)) return {Kind::kTrusted, value, false};
  // These calls return what the compute unit tells a group about its memory.
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(value);
      call && is_index_function(classify(*call)))
    return {Kind::kTrusted, value, false};
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    const bool is_local = variable->getAddressSpace() == kLocalAddressSpace;
    return {Kind::kVariable, variable, is_local};
  }
  auto* argument = llvm::dyn_cast<llvm::Argument>(value);
  if (!argument) return {};
  // Structures are passed by address, as part of the argument block; the spill area is the code's.
  if (!has_bounds(*argument)) return {Kind::kTrusted, argument, false};
  const bool is_local = argument->getType()->getPointerAddressSpace() == kLocalAddressSpace;
  return {Kind::kArgument, argument, is_local};
}

// Returns how many elements of a size that one instruction checks the type has; 0 if it has other
// parts.
unsigned count_elements(llvm::Type* type, const llvm::DataLayout& layout) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  llvm::Type* scalar = type->getScalarType();
  if (!scalar->isIntegerTy() && !scalar->isFloatingPointTy() && !scalar->isPointerTy()) return 0;
  const uint64_t bits = layout.getTypeSizeInBits(scalar).getFixedValue();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
  return vector ? vector->getNumElements() : 1;
}

CheckedAccess make_access(llvm::Instruction& instruction, unsigned operand, llvm::Type* type,
                          llvm::Align alignment, abi::CheckedAccess kind, bool is_plain) {
  const llvm::DataLayout& layout = instruction.getDataLayout();
  CheckedAccess access{
      &instruction, operand, layout.getTypeStoreSize(type).getFixedValue(), alignment.value(), kind,
      {},           0};
  if (is_plain) access.elements = count_elements(type, layout);
  access.object = find_object(access.pointer());
  // Addresses of private memory that have been kept: they are the code's own.
  const unsigned space = access.pointer()->getType()->getPointerAddressSpace();
  if (access.object.kind == Kind::kUnknown && space == kPrivateAddressSpace)
    access.object.kind = Kind::kTrusted;
  if (access.object.kind == Kind::kUnknown) access.elements = 0;
  return access;
}

std::optional<CheckedAccess> describe(llvm::Instruction& instruction) {
  using abi::CheckedAccess::kAtomic;
  using abi::CheckedAccess::kAtomicRead;
  using abi::CheckedAccess::kRead;
  using abi::CheckedAccess::kWrite;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return make_access(*load, load->getPointerOperandIndex(), load->getType(), load->getAlign(),
                       load->isSimple() ? kRead : kAtomicRead, !load->isAtomic());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return make_access(*store, store->getPointerOperandIndex(), store->getValueOperand()->getType(),
                       store->getAlign(), store->isAtomic() ? kAtomic : kWrite, !store->isAtomic());
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return make_access(*change, change->getPointerOperandIndex(), change->getType(),
                       change->getAlign(), kAtomic, true);
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return make_access(*exchange, exchange->getPointerOperandIndex(),
                       exchange->getNewValOperand()->getType(), exchange->getAlign(), kAtomic,
                       true);
  return std::nullopt;
}

}  // namespace

CheckedObject find_object(llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  std::optional<CheckedObject> found;
  for (const llvm::Value* object : objects) {
    if (llvm::isa<llvm::UndefValue, llvm::ConstantPointerNull>(object) && objects.size() > 1)
      continue;
    const CheckedObject next = classify_object(const_cast<llvm::Value*>(object));
    const bool agrees =
        !found || *found == next || (found->kind == Kind::kTrusted && next.kind == Kind::kTrusted);
    if (!agrees) return {};
    found = next;
  }
  return found.value_or(CheckedObject{});
}

std::optional<CheckedAccess> find_access(llvm::Instruction& instruction) {
  std::optional<CheckedAccess> access = describe(instruction);
  if (!access || access->object.kind == Kind::kTrusted) return std::nullopt;
  return access;
}

Granules find_granules(const std::vector<CheckedAccess>& accesses) {
  Granules granules;
  for (const CheckedAccess& access : accesses) {
    uint64_t& granule = access.object.is_local ? granules.local : granules.global;
    uint64_t common = access.bytes & (~access.bytes + 1);
    common = std::min({common, access.alignment, abi::kMaxGranule});
    granule = granule == 0 ? common : std::min(granule, common);
  }
  return granules;
}

}  // namespace conclave::compiler
