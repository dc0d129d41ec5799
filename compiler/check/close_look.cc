// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/close_look.h"

#include <cstddef>

#include "compiler/base/address_spaces.h"
#include "compiler/base/region.h"
#include "compiler/check/check_regions.h"
#include "compiler/check/check_sites.h"

namespace conclave::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

abi::CheckedSpace space_of(const CheckedObject& object, const Value& pointer) {
  if (object.is_local || pointer.getType()->getPointerAddressSpace() == kLocalAddressSpace)
    return abi::CheckedSpace::kLocal;
  return object.kind == CheckedObject::Kind::kUnknown ? abi::CheckedSpace::kUnknown
                                                      : abi::CheckedSpace::kGlobal;
}

// Returns the number that a store writes if it has up to eight bytes; otherwise 0.
Value* stored_number(IRBuilder<>& builder, llvm::Instruction& instruction) {
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  Value* value = store ? store->getValueOperand() : nullptr;
  if (!value || value->getType()->isVectorTy()) return builder.getInt64(0);
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  const auto bits =
      static_cast<unsigned>(instruction.getDataLayout().getTypeSizeInBits(value->getType()));
  if (bits > 64 || !(value->getType()->isIntegerTy() || value->getType()->isFloatingPointTy()))
    return builder.getInt64(0);
  value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  return builder.CreateZExt(value, builder.getInt64Ty());
}

// From the quick version of the access, which the optimiser would make one with it.
void keep_apart(llvm::Instruction& access) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) load->setVolatile(true);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) store->setVolatile(true);
}

std::string name_of(const CheckedObject& object) {
  if (!object.value || object.kind == CheckedObject::Kind::kArgument) return "";
  // clang names a kernel's local variables KERNEL.NAME.
  llvm::StringRef name = object.value->getName();
  const size_t dot = name.rfind('.');
  return (dot == name.npos ? name : name.substr(dot + 1)).str();
}

int32_t argument_of(const CheckedObject& object) {
  if (object.kind != CheckedObject::Kind::kArgument) return -1;
  return static_cast<int32_t>(llvm::cast<llvm::Argument>(object.value)->getArgNo() -
                              kKernelArguments);
}

}  // namespace

CloseLook::Target CloseLook::target_of(const CheckedObject& object) {
  if (object.kind != CheckedObject::Kind::kArgument &&
      object.kind != CheckedObject::Kind::kVariable) {
    Value* none = values_.zero();
    return {none, none};
  }
  return {values_.base(object), values_.size(object)};
}

llvm::Constant* CloseLook::site_of(const llvm::Instruction& instruction,
                                   const CheckedAccess& access, uint64_t bytes) {
  abi::CheckSite site = {};
  site.bytes = static_cast<uint32_t>(bytes);
  site.alignment = static_cast<uint32_t>(access.alignment);
  site.granule = static_cast<uint32_t>(granules_.of(access.object));
  site.access = access.kind;
  site.space = space_of(access.object, *access.pointer());
  site.is_vector = access.elements != 1;
  site.is_partial = is_partial_read(*access.instruction);
  site.argument = argument_of(access.object);
  return make_site(instruction, site, {kernel_, name_of(access.object)});
}

Value* CloseLook::call(IRBuilder<>& builder, Value* site, const Target& target, Value* address,
                       Value* bytes, Value* value) {
  llvm::Type* number = builder.getInt64Ty();
  llvm::Type* pointer = builder.getPtrTy();
  llvm::SmallVector<llvm::Type*> parameters(10, number);
  parameters[0] = parameters[1] = pointer;
  auto* type = llvm::FunctionType::get(number, parameters, false);
  Value* function =
      builder.CreateIntToPtr(values_.unit_field(offsetof(abi::CheckUnit, access)), pointer);
  const auto& ids = values_.global_ids();
  llvm::CallInst* result = builder.CreateCall(type, function,
                                              {values_.unit(), site, target.base, target.size,
                                               address, bytes, value, ids[0], ids[1], ids[2]});
  result->setDoesNotThrow();
  return result;
}

void CloseLook::redirect(const CheckedAccess& access, llvm::Instruction& instruction) {
  const Target target = target_of(access.object);
  IRBuilder<> builder(&instruction);
  Value* pointer = instruction.getOperand(access.operand);
  Value* address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  Value* place = call(builder, site_of(*access.instruction, access, access.bytes), target, address,
                      builder.getInt64(access.bytes), stored_number(builder, instruction));
  instruction.setOperand(access.operand, builder.CreateIntToPtr(place, pointer->getType()));
  keep_apart(instruction);
}

Value* CloseLook::is_good(IRBuilder<>& builder, llvm::MemIntrinsic& copy, Value* pointer,
                          unsigned operand, bool is_write) {
  const CheckedObject object = find_object(pointer);
  if (object.kind == CheckedObject::Kind::kTrusted) return builder.getTrue();
  if (pointer->getType()->getPointerAddressSpace() == kPrivateAddressSpace)
    return builder.getTrue();
  const CheckedAccess access{
      &copy,  operand, 0, 1, is_write ? abi::CheckedAccess::kWrite : abi::CheckedAccess::kRead,
      object, 0};
  Value* address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  Value* length = builder.CreateZExt(copy.getLength(), builder.getInt64Ty());
  Value* place = call(builder, site_of(copy, access, 0), target_of(object), address, length,
                      builder.getInt64(0));
  return builder.CreateICmpEQ(place, address);
}

void CloseLook::replace_length(llvm::MemIntrinsic& copy) {
  IRBuilder<> builder(&copy);
  Value* good = is_good(builder, copy, copy.getRawDest(), 0, true);
  if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy))
    good = builder.CreateAnd(good, is_good(builder, copy, transfer->getRawSource(), 1, false));
  if (llvm::isa<llvm::Constant>(good)) return;
  Value* length = copy.getLength();
  copy.setLength(builder.CreateSelect(good, length, llvm::ConstantInt::get(length->getType(), 0)));
}

void CloseLook::report_private(llvm::CallInst& finding) {
  IRBuilder<> builder(&finding);
  const Target target{builder.getInt64(0), finding.getArgOperand(2)};
  call(builder, finding.getArgOperand(0), target, finding.getArgOperand(1), builder.getInt64(0),
       builder.getInt64(0));
  finding.eraseFromParent();
}

}  // namespace conclave::compiler
