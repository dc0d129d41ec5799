// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/region.h"

#include <cstddef>

#include "compiler/base/attributes.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

bool is_region(const llvm::Function& function) {
  return function.hasFnAttribute(kRegionAttribute);
}

llvm::LoadInst* load_from_launch(llvm::IRBuilderBase& builder, llvm::Type* type, uint64_t offset) {
  llvm::Function& region = *builder.GetInsertBlock()->getParent();
  llvm::Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), region.getArg(kLaunch), offset);
  llvm::LoadInst* load =
      builder.CreateAlignedLoad(type, place, llvm::Align(type->getIntegerBitWidth() / 8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(region.getContext(), {}));
  return load;
}

llvm::Value* is_fact(llvm::IRBuilderBase& builder, uint32_t fact) {
  llvm::Value* facts =
      load_from_launch(builder, builder.getInt32Ty(), offsetof(abi::Launch, facts));
  return builder.CreateIsNotNull(builder.CreateAnd(facts, builder.getInt32(fact)));
}

bool is_global_id(const llvm::Instruction& instruction) {
  if (instruction.getOpcode() != llvm::Instruction::Add) return false;
  const llvm::Function& region = *instruction.getFunction();
  for (unsigned d = 0; d < 3; ++d) {
    const llvm::Value* base = region.getArg(kGlobalBase + d);
    const llvm::Value* id = region.getArg(kLocalId + d);
    const llvm::Value* first = instruction.getOperand(0);
    const llvm::Value* second = instruction.getOperand(1);
    if ((first == base && second == id) || (first == id && second == base)) return true;
  }
  return false;
}

}  // namespace conclave::compiler
