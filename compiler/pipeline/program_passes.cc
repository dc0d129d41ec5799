// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/program_passes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/error.h"
#include "compiler/base/program.h"
#include "compiler/base/stack_bytes.h"
#include "compiler/binary/metadata.h"
#include "compiler/workgroup/local_memory.h"
#include "compiler/workgroup/lower_printf.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

// Each compute unit has a work-item at a time.
constexpr uint64_t kMaxPrivateBytes = uint64_t{256} << 20;

std::vector<llvm::Function*> all_forms(const Region& region) {
  std::vector<llvm::Function*> forms = region.packet_forms();
  forms.push_back(region.function);
  return forms;
}

uint64_t stack_bytes(const RegionedKernel& kernel, StackBytes& stack) {
  uint64_t bytes = 0;
  for (const auto* regions : {&kernel.regions, &kernel.other_regions})
    for (const Region& region : *regions)
      for (const llvm::Function* form : all_forms(region)) bytes = std::max(bytes, stack.of(*form));
  return bytes;
}

// What is too large for the stack may be too large for the code generator as well.
void erase_code(llvm::Function& function) {
  const llvm::GlobalValue::LinkageTypes linkage = function.getLinkage();
  function.deleteBody();
  function.setLinkage(linkage);
  llvm::IRBuilder<>(llvm::BasicBlock::Create(function.getContext(), "", &function)).CreateRetVoid();
}

void erase_unused_variables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty() && variable.hasLocalLinkage()) variable.eraseFromParent();
  }
}

// Internal functions and variables that nothing uses. Callers mostly follow what they call, so from
// the last on.
void erase_unused(llvm::Module& module) {
  for (bool again = true; again;) {
    again = false;
    for (llvm::Function& function : llvm::make_early_inc_range(llvm::reverse(module))) {
      if (function.isDeclaration() || !function.hasLocalLinkage() || !function.use_empty())
        continue;
      function.eraseFromParent();
      again = true;
    }
  }
  erase_unused_variables(module);
}

RegionedKernel copy(const RegionedKernel& kernel) {
  RegionedKernel model = kernel;
  for (Region& region : model.regions) {
    llvm::ValueToValueMapTy map;
    region.function = llvm::CloneFunction(region.function, map);
  }
  return model;
}

}  // namespace

llvm::PreservedAnalyses DescribeKernels::run(llvm::Module& module,
                                             llvm::ModuleAnalysisManager& analyses) {
  for (llvm::Function* kernel : find_kernels(module))
    program_of(module, analyses).infos.push_back(describe_kernel(*kernel));
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses EraseOtherKernels::run(llvm::Module& module,
                                               llvm::ModuleAnalysisManager& analyses) {
  const std::vector<KernelInfo>& infos = program_of(module, analyses).infos;
  for (llvm::Function* kernel : find_kernels(module)) {
    const auto is_it = [&](const KernelInfo& info) { return kernel->getName() == info.name; };
    if (std::none_of(infos.begin(), infos.end(), is_it)) kernel->eraseFromParent();
  }
  erase_unused(module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses CheckSharesNoVariables::run(llvm::Module& module,
                                                    llvm::ModuleAnalysisManager& analyses) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (!variable.isConstant() && !variable.use_empty() &&
        variable.getAddressSpace() == kGlobalAddressSpace)
      throw BuildError("kernel '" + program_of(module, analyses).infos.front().name +
                       "' cannot be specialised: it uses the variable '" +
                       variable.getName().str() + "'");
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses MakeModels::run(llvm::Module& module,
                                        llvm::ModuleAnalysisManager& analyses) {
  Program& program = program_of(module, analyses);
  for (const RegionedKernel& kernel : program.kernels) {
    program.models.push_back(copy(kernel));
    lower_local_variables(program.models.back());
  }
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses EraseUnusedVariables::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager&) {
  erase_unused_variables(module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses CheckPrivateMemory::run(llvm::Module& module,
                                                llvm::ModuleAnalysisManager& analyses) {
  Program& program = program_of(module, analyses);
  StackBytes stack;
  bool is_changed = false;
  for (auto&& [kernel, info] : llvm::zip_equal(program.kernels, program.infos)) {
    info.private_bytes = stack_bytes(kernel, stack);
    const uint64_t bytes = info.private_bytes + kernel.spill_bytes;
    if (bytes <= kMaxPrivateBytes) continue;
    info.cannot_run = "it needs " + std::to_string(bytes) +
                      " bytes of private memory per work-item; at most " +
                      std::to_string(kMaxPrivateBytes) + " are possible";
    info.private_bytes = info.spill_bytes = 0;
    if (llvm::Function* function = module.getFunction(info.symbol)) erase_code(*function);
    is_changed = true;
  }
  if (!is_changed) return llvm::PreservedAnalyses::all();
  erase_unused(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
