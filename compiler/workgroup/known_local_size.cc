// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/known_local_size.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/base/program.h"
#include "compiler/base/region.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

// Larger ones cannot be launched; a source may name them all the same.
constexpr uint64_t kMaxLocalSize = uint64_t{1} << 16;

bool is_known(const KernelInfo& info) {
  return std::all_of(info.required_local_size.begin(), info.required_local_size.end(),
                     [](uint64_t size) { return size > 0 && size <= kMaxLocalSize; });
}

uint64_t work_items(const KernelInfo& info) {
  const auto& size = info.required_local_size;
  return size[0] * size[1] * size[2];
}

// Numbers below `end`, at least 2. The attribute's type is that of ids: 64 bits on this device.
llvm::Attribute below(llvm::LLVMContext& context, uint64_t end) {
  return llvm::Attribute::get(context, llvm::Attribute::Range,
                              llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, end)));
}

class Knowledge {
 public:
  explicit Knowledge(const KernelInfo& info) : info_(info) {}

  void apply(llvm::CallInst& call) const {
    const WorkItemFunction function = classify(call);
    if (function == WorkItemFunction::kLocalLinearId) return limit(call, work_items(info_));
    if (call.arg_size() != 1 || !call.getType()->isIntegerTy(64)) return;
    auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (!dimension || dimension->getValue().uge(3)) return;
    const uint64_t size = info_.required_local_size[dimension->getZExtValue()];
    if (function == WorkItemFunction::kLocalId)
      limit(call, size);
    else if (function == WorkItemFunction::kEnqueuedLocalSize ||
             (function == WorkItemFunction::kLocalSize && info_.uniform_work_groups))
      replace(call, size);
  }

 private:
  static void replace(llvm::CallInst& call, uint64_t value) {
    call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), value));
    call.eraseFromParent();
  }
  static void limit(llvm::CallInst& call, uint64_t end) {
    if (end == 1) return replace(call, 0);
    call.addRetAttr(below(call.getContext(), end));
  }

  const KernelInfo& info_;
};

void fix(llvm::Argument& parameter, uint64_t value) {
  parameter.replaceAllUsesWith(llvm::ConstantInt::get(parameter.getType(), value));
}

void limit(llvm::Argument& parameter, uint64_t end) {
  if (end == 1) return fix(parameter, 0);
  parameter.addAttr(below(parameter.getContext(), end));
}

void apply_local_size(llvm::Function& kernel, const KernelInfo& info) {
  if (!is_known(info)) return;
  const Knowledge knowledge(info);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel)))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) knowledge.apply(*call);
}

}  // namespace

llvm::PreservedAnalyses ApplyLocalSize::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& analyses) {
  for (const KernelInfo& info : program_of(module, analyses).infos)
    apply_local_size(*module.getFunction(info.name), info);
  return llvm::PreservedAnalyses::none();
}

void apply_local_size_to_region(llvm::Function& region, const KernelInfo& info) {
  if (!is_known(info)) return;
  for (unsigned d = 0; d < 3; ++d) {
    const uint64_t size = info.required_local_size[d];
    limit(*region.getArg(kLocalId + d), size);
    if (info.uniform_work_groups) fix(*region.getArg(kLocalSize + d), size);
  }
  limit(*region.getArg(kItem), work_items(info));
  if (info.uniform_work_groups) fix(*region.getArg(kItems), work_items(info));
}

}  // namespace conclave::compiler
