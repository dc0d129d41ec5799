// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/private_memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"

namespace conclave::compiler {
namespace {

using llvm::AllocaInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

constexpr uint64_t kVectorAlignment = 64;

// The uses of a variable, which are found first and then adapted to the new layout.
struct Uses {
  std::vector<llvm::GetElementPtrInst*> addresses;
  std::vector<Instruction*> accesses;  // loads and stores
  std::vector<llvm::MemIntrinsic*> blocks;
  std::vector<llvm::IntrinsicInst*> lifetimes;
  bool is_interleavable = true;
};

bool is_lifetime(const Instruction& instruction) {
  auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

bool is_simple_access(const Instruction& instruction, const Value& pointer) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isSimple() && store->getValueOperand() != &pointer;
}

void find_uses(Instruction& pointer, Uses& uses) {
  for (llvm::User* user : pointer.users()) {
    auto& instruction = *llvm::cast<Instruction>(user);
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(user);
    if (address && address->getType()->isPointerTy()) {
      uses.addresses.push_back(address);
      find_uses(*address, uses);
    } else if (llvm::isa<llvm::AddrSpaceCastInst>(user)) {
      find_uses(instruction, uses);
    } else if (is_lifetime(instruction)) {
      uses.lifetimes.push_back(llvm::cast<llvm::IntrinsicInst>(user));
    } else if (is_simple_access(instruction, pointer)) {
      uses.accesses.push_back(&instruction);
    } else if (block && !block->isVolatile()) {
      // One that copies within the variable is met twice.
      if (!llvm::is_contained(uses.blocks, block)) uses.blocks.push_back(block);
    } else {
      uses.is_interleavable = false;
    }
  }
}

Type* accessed_type(const Instruction& access) {
  return llvm::getLoadStoreType(const_cast<Instruction*>(&access));
}

// The size in bytes of the elements that all accesses consist of; 0 if they have none in common.
uint64_t element_size(const Uses& uses, const llvm::DataLayout& layout) {
  uint64_t size = 0;
  for (const Instruction* access : uses.accesses) {
    Type* type = accessed_type(*access)->getScalarType();
    if (!type->isIntOrPtrTy() && !type->isFloatingPointTy()) return 0;
    uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
    if (bits != 8 * layout.getTypeAllocSize(type) || bits > 64) return 0;
    if (size != 0 && size != bits / 8) return 0;
    size = bits / 8;
  }
  return size;
}

bool is_multiple(const llvm::GetElementPtrInst& address, uint64_t size,
                 const llvm::DataLayout& layout) {
  unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  llvm::MapVector<Value*, llvm::APInt> offsets;
  llvm::APInt constant(bits, 0);
  if (!address.collectOffset(layout, bits, offsets, constant)) return false;
  return constant.urem(size) == 0 &&
         llvm::all_of(offsets, [&](const auto& offset) { return offset.second.urem(size) == 0; });
}

// Copying or filling can be done with elements.
bool is_divisible(const llvm::MemIntrinsic& block, uint64_t size) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(block.getLength());
  if (!length || length->getZExtValue() % size != 0) return false;
  auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&block);
  if (fill && !llvm::isa<llvm::ConstantInt>(fill->getValue())) return false;
  return length->getZExtValue() / size <= tuning().copied_elements;
}

// Elements of a variable, or 0 if it is to be laid out lane by lane.
uint64_t interleaved_size(const AllocaInst& variable, const Uses& uses, uint64_t bytes) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  uint64_t size = uses.is_interleavable ? element_size(uses, layout) : 0;
  if (size == 0 || bytes % size != 0) return 0;
  for (const llvm::GetElementPtrInst* address : uses.addresses)
    if (!is_multiple(*address, size, layout)) return 0;
  for (const llvm::MemIntrinsic* block : uses.blocks)
    if (!is_divisible(*block, size)) return 0;
  return size;
}

// All elements are read before the first is written: they may overlap.
void copy_by_elements(llvm::MemIntrinsic& block, uint64_t size) {
  IRBuilder<> builder(&block);
  Type* type = builder.getIntNTy(static_cast<unsigned>(8 * size));
  uint64_t count = llvm::cast<llvm::ConstantInt>(block.getLength())->getZExtValue() / size;
  auto element = [&](Value* pointer, uint64_t i) {
    return i == 0 ? pointer : builder.CreatePtrAdd(pointer, builder.getInt64(i * size));
  };
  auto align = [&](llvm::MaybeAlign of, uint64_t i) {
    return llvm::commonAlignment(of.valueOrOne(), i * size);
  };
  llvm::SmallVector<Value*> elements;
  for (uint64_t i = 0; i < count; ++i) {
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&block)) {
      elements.push_back(builder.CreateAlignedLoad(type, element(copy->getRawSource(), i),
                                                   align(copy->getSourceAlign(), i)));
    } else {
      auto* value = llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(block).getValue());
      auto bits = static_cast<unsigned>(8 * size);
      elements.push_back(builder.getInt(llvm::APInt::getSplat(bits, value->getValue())));
    }
  }
  for (uint64_t i = 0; i < count; ++i)
    builder.CreateAlignedStore(elements[i], element(block.getRawDest(), i),
                               align(block.getDestAlign(), i));
  block.eraseFromParent();
}

void interleave_address(llvm::GetElementPtrInst& address, unsigned lanes) {
  IRBuilder<> builder(&address);
  Value* offset = llvm::emitGEPOffset(&builder, address.getDataLayout(), &address);
  offset = builder.CreateMul(offset, llvm::ConstantInt::get(offset->getType(), lanes));
  // Not folded: what leads to the lane's own memory must remain an instruction of its own.
  auto* interleaved = llvm::GetElementPtrInst::Create(
      builder.getInt8Ty(), address.getPointerOperand(), {offset}, "", address.getIterator());
  interleaved->takeName(&address);
  address.replaceAllUsesWith(interleaved);
  address.eraseFromParent();
}

// Accesses to explicit vectors are split into those of their elements, which are apart now.
void interleave_access(Instruction& access, uint64_t size, unsigned lanes) {
  Type* type = accessed_type(access);
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
  llvm::Align align = std::min(llvm::getLoadStoreAlignment(&access), llvm::Align(size));
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return load ? load->setAlignment(align) : store->setAlignment(align);

  IRBuilder<> builder(&access);
  Value* value = load ? llvm::PoisonValue::get(type) : store->getValueOperand();
  for (uint64_t i = 0; i < vector->getNumElements(); ++i) {
    Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (i != 0) pointer = builder.CreatePtrAdd(pointer, builder.getInt64(i * size * lanes));
    Instruction* element;
    if (load) {
      element = builder.CreateAlignedLoad(vector->getElementType(), pointer, align);
      value = builder.CreateInsertElement(value, element, i);
    } else {
      element = builder.CreateAlignedStore(builder.CreateExtractElement(value, i), pointer, align);
    }
    element->copyMetadata(access, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                                   llvm::LLVMContext::MD_noalias});
  }
  if (load) load->replaceAllUsesWith(value);
  access.eraseFromParent();
}

// A lane that does not run keeps what its memory holds.
void adapt_lifetimes(const Uses& uses, uint64_t bytes, Value* all) {
  bool is_masked = llvm::any_of(uses.lifetimes, [](llvm::IntrinsicInst* marker) {
    return mask_of(*marker->getParent()) != nullptr;
  });
  for (llvm::IntrinsicInst* marker : uses.lifetimes) {
    if (is_masked || !llvm::isa<AllocaInst>(marker->getArgOperand(1))) {
      marker->eraseFromParent();
      continue;
    }
    marker->setArgOperand(0, llvm::ConstantInt::get(marker->getArgOperand(0)->getType(), bytes));
    marker->setArgOperand(1, all);
  }
}

AllocaInst* create_variable(const AllocaInst& variable, uint64_t bytes, unsigned lanes,
                            uint64_t size) {
  Type* type = llvm::ArrayType::get(Type::getInt8Ty(variable.getContext()), bytes * lanes);
  auto* all =
      new AllocaInst(type, variable.getAddressSpace(), nullptr, variable.getAlign(),
                     variable.getName() + ".all", const_cast<AllocaInst&>(variable).getIterator());
  if (size != 0)
    all->setAlignment(
        std::max(variable.getAlign(),
                 llvm::Align(std::min(llvm::PowerOf2Ceil(size * lanes), kVectorAlignment))));
  return all;
}

void widen(AllocaInst& variable, unsigned lanes, LaneStrides& strides) {
  uint64_t bytes = variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
  Uses uses;
  find_uses(variable, uses);
  uint64_t size = interleaved_size(variable, uses, bytes);
  // Lane by lane, every lane's variable is to have its alignment.
  if (size == 0) bytes = llvm::alignTo(bytes, variable.getAlign());
  AllocaInst* all = create_variable(variable, bytes, lanes, size);
  adapt_lifetimes(uses, bytes * lanes, all);
  if (size != 0) {
    for (llvm::MemIntrinsic* block : uses.blocks) copy_by_elements(*block, size);
    uses = {};
    find_uses(variable, uses);
    for (Instruction* access : uses.accesses) interleave_access(*access, size, lanes);
    for (llvm::GetElementPtrInst* address : uses.addresses) interleave_address(*address, lanes);
  }
  auto* zero = llvm::ConstantInt::get(Type::getInt64Ty(variable.getContext()), 0);
  auto* own = llvm::GetElementPtrInst::Create(Type::getInt8Ty(variable.getContext()), all, {zero},
                                              "", variable.getIterator());
  own->takeName(&variable);
  strides[own] = size != 0 ? size : bytes;
  variable.replaceAllUsesWith(own);
  variable.eraseFromParent();
}

}  // namespace

bool widen_private_memory(llvm::Function& region, unsigned lanes, LaneStrides& strides,
                          PartRemarks& remarks) {
  std::vector<AllocaInst*> variables;
  for (Instruction& instruction : llvm::instructions(region)) {
    auto* variable = llvm::dyn_cast<AllocaInst>(&instruction);
    if (!variable) continue;
    if (!variable->isStaticAlloca())
      return remarks.refuse("it has private memory whose size is not known before it runs",
                            variable);
    variables.push_back(variable);
  }
  for (AllocaInst* variable : variables) widen(*variable, lanes, strides);
  return true;
}

}  // namespace conclave::compiler
