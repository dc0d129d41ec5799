// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/code_budget.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <vector>

#include "compiler/base/attributes.h"
#include "compiler/base/stack_bytes.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

// What functions cost that are compiled once, however often they are called.
class CodeCost {
 public:
  explicit CodeCost(const Target& target) : target_(target) {}

  void add(llvm::Function& function) {
    llvm::SetVector<llvm::Function*> work;
    if (seen_.insert(&function)) work.insert(&function);
    for (size_t i = 0; i < work.size(); ++i) {
      const auto costs = target_.machine().getTargetTransformInfo(*work[i]);
      for (llvm::Instruction& instruction : llvm::instructions(*work[i])) {
        total_ += cost(costs, instruction);
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && !callee->isDeclaration() && seen_.insert(callee)) work.insert(callee);
      }
    }
  }
  uint64_t total() const { return total_; }

 private:
  static uint64_t cost(const llvm::TargetTransformInfo& costs, llvm::Instruction& instruction) {
    const llvm::InstructionCost cost =
        costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_CodeSize);
    return cost.isValid() ? static_cast<uint64_t>(*cost.getValue()) : tuning().unknown_code_cost;
  }

  const Target& target_;
  llvm::SetVector<llvm::Function*> seen_;
  uint64_t total_ = 0;
};

template <class Visit>
void for_each_region(RegionedKernel& kernel, Visit visit) {
  for (auto* regions : {&kernel.regions, &kernel.other_regions})
    for (Region& region : *regions) visit(region);
}

uint64_t scalar_cost(RegionedKernel& kernel, const Target& target) {
  CodeCost cost(target);
  for_each_region(kernel, [&](Region& region) { cost.add(*region.function); });
  return cost.total();
}

uint64_t full_cost(RegionedKernel& kernel, const Target& target) {
  CodeCost cost(target);
  for_each_region(kernel, [&](Region& region) {
    cost.add(*region.function);
    for (llvm::Function* form : region.packet_forms()) cost.add(*form);
  });
  return cost.total();
}

void erase(llvm::Function*& form) {
  if (form) form->eraseFromParent();
  form = nullptr;
}

void erase_tall_forms(RegionedKernel& kernel) {
  for_each_region(kernel, [](Region& region) {
    for (TallForm& tall : region.tall) erase(tall.function);
    region.tall.clear();
  });
}

void erase_remainders(RegionedKernel& kernel) {
  for_each_region(kernel, [](Region& region) {
    if (region.packet) erase(region.remainder);
  });
}

// Regions whose only packets are remainders have known sizes.
void erase_packets(RegionedKernel& kernel) {
  erase_tall_forms(kernel);
  for_each_region(kernel, [](Region& region) {
    erase(region.packet);
    erase(region.remainder);
    region.lanes = 1;
  });
  kernel.other_regions.clear();
  kernel.original->addFnAttr(kForNow);
}

// Code that is made later needs as much.
uint64_t stack_of_packets(RegionedKernel& kernel) {
  StackBytes stack;
  uint64_t bytes = 0;
  for_each_region(kernel, [&](Region& region) {
    for (llvm::Function* form : region.packet_forms()) bytes = std::max(bytes, stack.of(*form));
  });
  return bytes;
}

struct Costs {
  size_t kernel;  // index
  uint64_t scalar, full;
};

}  // namespace

void keep_to_budget(Program& program, llvm::MutableArrayRef<KernelRemarks> remarks,
                    const Target& target) {
  std::vector<Costs> costs;
  uint64_t scalar = 0, full = 0;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    RegionedKernel& kernel = program.kernels[i];
    costs.push_back({i, scalar_cost(kernel, target), full_cost(kernel, target)});
    scalar += costs.back().scalar;
    full += costs.back().full;
  }
  const uint64_t budget = std::max<uint64_t>(tuning().first_code_cost, 2 * scalar);
  llvm::stable_sort(costs, [](const Costs& a, const Costs& b) { return a.full > b.full; });
  for (const auto reduce : {erase_tall_forms, erase_remainders, erase_packets})
    for (Costs& cost : costs) {
      if (full <= budget) return;
      RegionedKernel& kernel = program.kernels[cost.kernel];
      KernelInfo& info = program.infos[cost.kernel];
      if (kernel.regions[0].has_sub_groups || cost.full <= 2 * cost.scalar) continue;
      const uint64_t stack = stack_of_packets(kernel);
      reduce(kernel);
      const uint64_t rest = full_cost(kernel, target);
      if (rest == cost.full) continue;
      full -= cost.full - rest;
      cost.full = rest;
      info.reduced = true;
      info.private_bytes = std::max(info.private_bytes, stack);
      if (reduce != erase_packets) continue;
      for (PartRemarks& part : remarks[cost.kernel].parts)
        part.refuse("its packets are too much code for a first build; they come in the background");
    }
}

}  // namespace conclave::compiler
