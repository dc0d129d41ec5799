// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/local_memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>

#include "compiler/base/address_spaces.h"
#include "compiler/base/program.h"

namespace conclave::compiler {
namespace {

using Uses = llvm::MapVector<llvm::GlobalVariable*, std::vector<llvm::Use*>>;

bool is_local(const llvm::GlobalVariable& variable) {
  return variable.getAddressSpace() == kLocalAddressSpace;
}

// Every use by an instruction of `function`, in a stable order.
void collect_uses(llvm::Function& function, Uses& uses) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    for (llvm::Use& operand : instruction.operands())
      if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(operand.get()))
        if (is_local(*variable)) uses[variable].push_back(&operand);
}

void replace_uses(llvm::Function& region, llvm::GlobalVariable& variable, uint64_t offset,
                  const std::vector<llvm::Use*>& uses) {
  llvm::BasicBlock& entry = region.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), region.getArg(kLocalMemory), offset);
  llvm::Value* pointer = builder.CreateAddrSpaceCast(place, variable.getType(), variable.getName());
  for (llvm::Use* use : uses) use->set(pointer);
}

}  // namespace

void lower_local_variables(RegionedKernel& kernel) {
  llvm::Module& module = *kernel.original->getParent();
  std::vector<llvm::Constant*> variables;
  for (llvm::GlobalVariable& variable : module.globals())
    if (is_local(variable)) variables.push_back(&variable);
  if (variables.empty()) return;
  llvm::convertUsersOfConstantsToInstructions(variables);

  llvm::DenseMap<llvm::GlobalVariable*, uint64_t> offsets;
  uint64_t end = 0;
  for (const Region& region : kernel.regions) {
    Uses uses;
    collect_uses(*region.function, uses);
    for (const auto& [variable, operands] : uses) {
      auto [known, is_new] = offsets.try_emplace(variable, 0);
      if (is_new) {
        const llvm::DataLayout& layout = module.getDataLayout();
        llvm::Align alignment =
            variable->getAlign().value_or(layout.getPrefTypeAlign(variable->getValueType()));
        known->second = llvm::alignTo(end, alignment);
        end = known->second + layout.getTypeAllocSize(variable->getValueType());
      }
      replace_uses(*region.function, *variable, known->second, operands);
    }
  }
  kernel.local_bytes = end;
}

llvm::PreservedAnalyses LowerLocalVariables::run(llvm::Module& module,
                                                 llvm::ModuleAnalysisManager& analyses) {
  for (RegionedKernel& kernel : program_of(module, analyses).kernels) lower_local_variables(kernel);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
