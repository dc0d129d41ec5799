// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/lower_printf.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/region.h"
#include "compiler/workgroup/work_item_functions.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

abi::PrintArgument describe(llvm::Type* type, const llvm::DataLayout& layout) {
  abi::PrintArgument argument = {};
  argument.count = 1;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    argument.count = static_cast<uint8_t>(vector->getNumElements());
    type = vector->getElementType();
  }
  if (type->isIntegerTy())
    argument.kind = 'i';
  else if (type->isFloatingPointTy())
    argument.kind = 'f';
  else if (type->isPointerTy())
    argument.kind = 'p';
  else
    throw BuildError("printf: an argument is neither a number, a vector nor a pointer");
  argument.element_size = static_cast<uint8_t>(layout.getTypeStoreSize(type).getFixedValue());
  return argument;
}

class PrintfCall {
 public:
  explicit PrintfCall(llvm::CallInst& call)
      : call_(call), function_(*call.getFunction()), layout_(function_.getDataLayout()) {}

  void lower() {
    llvm::IRBuilder<> builder(&call_);
    std::vector<uint64_t> offsets = lay_out();
    llvm::Value* values = allocate();
    for (size_t i = 0; i < offsets.size(); ++i) {
      llvm::Value* address =
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), values, offsets[i]);
      builder.CreateAlignedStore(call_.getArgOperand(static_cast<unsigned>(i) + 1), address,
                                 llvm::Align(8));
    }
    llvm::Value* launch = function_.getArg(kLaunch);
    llvm::Value* entry =
        builder.CreateAlignedLoad(builder.getPtrTy(),
                                  builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), launch,
                                                                     offsetof(abi::Launch, print)),
                                  llvm::Align(8));
    llvm::Type* pointer = builder.getPtrTy();
    auto* type =
        llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
    llvm::Value* format = builder.CreateAddrSpaceCast(call_.getArgOperand(0), builder.getPtrTy());
    llvm::CallInst* result =
        builder.CreateCall(type, entry, {launch, format, make_descriptors(builder), values});
    result->setDoesNotThrow();
    call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
  }

 private:
  // Fills descriptors_ and size_; returns where each value goes.
  std::vector<uint64_t> lay_out() {
    std::vector<uint64_t> offsets;
    for (unsigned i = 1; i < call_.arg_size(); ++i) {
      llvm::Type* type = call_.getArgOperand(i)->getType();
      abi::PrintArgument argument = describe(type, layout_);
      descriptors_.append(reinterpret_cast<const char*>(&argument), sizeof argument);
      offsets.push_back(size_);
      uint64_t elements = argument.count == 3 ? 4 : argument.count;
      size_ += (elements * argument.element_size + 7) / 8 * 8;
    }
    descriptors_.append(sizeof(abi::PrintArgument), '\0');
    return offsets;
  }

  llvm::Value* allocate() {
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    auto* type = llvm::ArrayType::get(builder.getInt8Ty(), std::max<uint64_t>(size_, 8));
    llvm::AllocaInst* values = builder.CreateAlloca(type, nullptr, "printf.values");
    values->setAlignment(llvm::Align(8));
    return values;
  }

  llvm::Value* make_descriptors(llvm::IRBuilder<>& builder) {
    llvm::Constant* content =
        llvm::ConstantDataArray::getString(builder.getContext(), descriptors_, /*AddNull=*/false);
    auto* variable =
        new llvm::GlobalVariable(*function_.getParent(), content->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, content, "printf.descriptors",
                                 nullptr, llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/0);
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  llvm::CallInst& call_;
  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  std::string descriptors_;
  uint64_t size_ = 0;
};

}  // namespace

llvm::PreservedAnalyses LowerPrintf::run(llvm::Function& region, llvm::FunctionAnalysisManager&) {
  if (!is_region(region)) return llvm::PreservedAnalyses::all();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(region))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && classify(*call) == WorkItemFunction::kPrintf) PrintfCall(*call).lower();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
