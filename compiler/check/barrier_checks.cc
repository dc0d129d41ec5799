// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/barrier_checks.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "compiler/check/check_sites.h"

namespace conclave::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

class BarrierCheck {
 public:
  BarrierCheck(const std::string& kernel, RegionValues& values)
      : kernel_(kernel), values_(values) {}

  void emit(llvm::ReturnInst& end) {
    auto* reached = llvm::cast<llvm::ConstantInt>(end.getReturnValue());
    IRBuilder<> builder(&end);
    Value* place = address(builder, offsetof(abi::CheckUnit, reached));
    Value* before = builder.CreateAlignedLoad(builder.getInt32Ty(), place, llvm::Align(4));
    builder.CreateAlignedStore(reached, place, llvm::Align(4));
    Value* is_first = builder.CreateICmpEQ(before, builder.getInt32(abi::kNowhere));
    Value* differs =
        builder.CreateAnd(builder.CreateNot(is_first), builder.CreateICmpNE(before, reached));
    llvm::Instruction* report = llvm::SplitBlockAndInsertIfThen(differs, &end, false);
    IRBuilder<> cold(report);
    call_diverge(cold, end, before, reached);
    builder.SetInsertPoint(&end);
    Value* diverged = builder.CreateAlignedLoad(
        builder.getInt32Ty(), address(builder, offsetof(abi::CheckUnit, has_diverged)),
        llvm::Align(4));
    end.setOperand(
        0, builder.CreateSelect(builder.CreateIsNotNull(diverged),
                                builder.getInt32(static_cast<uint32_t>(kKernelEnd)), reached));
  }

 private:
  Value* address(IRBuilder<>& builder, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), values_.unit(), offset);
  }

  void call_diverge(IRBuilder<>& builder, const llvm::Instruction& end, Value* before,
                    Value* reached) {
    llvm::Type* number = builder.getInt64Ty();
    llvm::Type* pointer = builder.getPtrTy();
    llvm::Type* index = builder.getInt32Ty();
    auto* type = llvm::FunctionType::get(
        builder.getVoidTy(), {pointer, pointer, index, index, number, number, number}, false);
    Value* function =
        builder.CreateIntToPtr(values_.unit_field(offsetof(abi::CheckUnit, diverge)), pointer);
    abi::CheckSite site = {};
    site.argument = -1;
    const auto& ids = values_.global_ids();
    builder
        .CreateCall(type, function,
                    {values_.unit(), make_site(end, site, {kernel_, ""}), before, reached, ids[0],
                     ids[1], ids[2]})
        ->setDoesNotThrow();
  }

  const std::string& kernel_;
  RegionValues& values_;
};

}  // namespace

void check_barriers(Region& region, const std::string& kernel, RegionValues& values) {
  if (region.successors.size() < 2) return;
  llvm::SmallVector<llvm::ReturnInst*> ends;
  for (llvm::BasicBlock& block : *region.function)
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) ends.push_back(end);
  BarrierCheck check(kernel, values);
  for (llvm::ReturnInst* end : ends) check.emit(*end);
  if (!llvm::is_contained(region.successors, kKernelEnd)) region.successors.push_back(kKernelEnd);
}

}  // namespace conclave::compiler
