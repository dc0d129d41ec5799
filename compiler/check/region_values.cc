// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/region_values.h"

#include <llvm/IR/Module.h>

#include "compiler/base/region.h"

namespace conclave::compiler {

using llvm::Value;

RegionValues::RegionValues(llvm::Function& region)
    : region_(region), builder_(region.getEntryBlock().getTerminator()) {}

Value* RegionValues::unit() const {
  return region_.getArg(kCheck);
}

// A value that is constant during a launch may be loaded anywhere, also by the optimiser.
Value* RegionValues::load_constant(Value* base, uint64_t offset, bool is_constant) {
  Value* address = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
  llvm::LoadInst* load = builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, llvm::Align(8));
  if (is_constant)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(region_.getContext(), {}));
  return load;
}

// Calls that the lowering of work-item functions replaces.
Value* RegionValues::call_index_function(const char* name, bool has_dimension, unsigned dimension) {
  llvm::SmallVector<llvm::Type*> parameters;
  llvm::SmallVector<Value*> arguments;
  if (has_dimension) {
    parameters.push_back(builder_.getInt32Ty());
    arguments.push_back(builder_.getInt32(dimension));
  }
  auto* type = llvm::FunctionType::get(builder_.getInt64Ty(), parameters, false);
  llvm::FunctionCallee callee = region_.getParent()->getOrInsertFunction(name, type);
  return builder_.CreateCall(callee, arguments);
}

const std::array<Value*, 3>& RegionValues::global_ids() {
  if (!ids_[0])
    for (unsigned d = 0; d < 3; ++d) ids_[d] = call_index_function("_Z13get_global_idj", true, d);
  return ids_;
}

Value* RegionValues::item() {
  if (!item_)
    item_ = builder_.CreateAnd(call_index_function("_Z20get_global_linear_idv", false, 0),
                               builder_.getInt64(abi::kItemMask));
  return item_;
}

Value* RegionValues::unit_field(uint64_t offset) {
  Value*& field = fields_[offset];
  if (!field) field = load_constant(unit(), offset, false);
  return field;
}

Value* RegionValues::base(const CheckedObject& object) {
  Value*& base = bases_[object.value];
  if (!base) base = builder_.CreatePtrToInt(object.value, builder_.getInt64Ty());
  return base;
}

Value* RegionValues::size(const CheckedObject& object) {
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object.value))
    return builder_.getInt64(region_.getDataLayout().getTypeAllocSize(variable->getValueType()));
  return memory_field(object, offsetof(abi::CheckedMemory, size));
}

Value* RegionValues::limit(const CheckedObject& object, uint64_t bytes) {
  Value*& limit = limits_[{object.value, bytes}];
  if (!limit)
    limit = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, size(object),
                                           builder_.getInt64(bytes - 1));
  return limit;
}

Value* RegionValues::memory_field(const CheckedObject& argument, uint64_t offset) {
  Value*& field = memory_fields_[{argument.value, offset}];
  if (field) return field;
  const uint64_t index = llvm::cast<llvm::Argument>(argument.value)->getArgNo() - kKernelArguments;
  Value* list = load_constant(unit(), offsetof(abi::CheckUnit, arguments), true);
  field = load_constant(builder_.CreateIntToPtr(list, builder_.getPtrTy()),
                        index * sizeof(abi::CheckedMemory) + offset, true);
  return field;
}

Value* RegionValues::is_not_zero(Value* value) {
  Value*& test = tests_[value];
  if (!test) test = builder_.CreateIsNotNull(value);
  return test;
}

Value* RegionValues::as_pointer(Value* address) {
  Value*& pointer = pointers_[address];
  if (!pointer) pointer = builder_.CreateIntToPtr(address, builder_.getPtrTy());
  return pointer;
}

Value* RegionValues::tag(bool is_local) {
  Value*& tag = tags_[is_local];
  if (tag) return tag;
  Value* stretch =
      unit_field(is_local ? offsetof(abi::CheckUnit, local_tag) : offsetof(abi::CheckUnit, tag));
  Value* own = item();
  return tag = builder_.CreateAdd(stretch, own);
}

Value* RegionValues::local_memory() {
  if (!local_memory_)
    local_memory_ = builder_.CreatePtrToInt(region_.getArg(kLocalMemory), builder_.getInt64Ty());
  return local_memory_;
}

Value* RegionValues::offset(llvm::IRBuilder<>& builder, Value* pointer, Value* base) {
  return builder.CreateSub(builder.CreatePtrToInt(pointer, builder.getInt64Ty()), base);
}

}  // namespace conclave::compiler
