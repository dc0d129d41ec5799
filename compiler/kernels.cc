// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernels.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <bit>

#include "compiler/builtins_link.h"
#include "compiler/codegen.h"
#include "compiler/error.h"
#include "compiler/passes/alias_scopes.h"
#include "compiler/passes/flatten_address_spaces.h"
#include "compiler/passes/form_regions.h"
#include "compiler/passes/guard_division.h"
#include "compiler/passes/inline_work_item_code.h"
#include "compiler/passes/local_memory.h"
#include "compiler/passes/lower_local_atomics.h"
#include "compiler/passes/lower_printf.h"
#include "compiler/passes/prepare_module.h"
#include "compiler/passes/struct_arguments.h"
#include "compiler/passes/work_group_function.h"
#include "compiler/passes/work_item_functions.h"
#include "compiler/vectorizer/vectorize_region.h"

namespace conclave::compiler {
namespace {

// A worker's stack is finite; what a kernel cannot have must be told at build time.
constexpr uint64_t kMaxPrivateBytes = uint64_t{8} << 20;

// Bytes of the variables of functions and of the deepest chains of calls below them.
class StackBytes {
 public:
  // There is no recursion any more.
  uint64_t of(const llvm::Function& function) {
    auto known = known_.find(&function);
    if (known != known_.end()) return known->second;
    uint64_t own = 0;
    uint64_t below = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        own += variable->getAllocationSize(function.getDataLayout())->getFixedValue();
      } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (const llvm::Function* callee = call->getCalledFunction())
          below = std::max(below, of(*callee));
      }
    }
    return known_[&function] = own + below;
  }

 private:
  llvm::DenseMap<const llvm::Function*, uint64_t> known_;
};

void check_private_memory(const RegionedKernel& kernel, KernelInfo& info, StackBytes& stack) {
  for (const Region& region : kernel.regions) {
    info.private_bytes = std::max(info.private_bytes, stack.of(*region.function));
    if (region.packet) info.private_bytes = std::max(info.private_bytes, stack.of(*region.packet));
  }
  uint64_t bytes = info.private_bytes + kernel.spill_bytes;
  if (bytes > kMaxPrivateBytes)
    throw BuildError("kernel '" + kernel.name + "' needs " + std::to_string(bytes) +
                     " bytes of private memory per work-item; at most " +
                     std::to_string(kMaxPrivateBytes) + " are possible");
}

// Everything that must happen to a kernel while it still describes one work-item.
void prepare_kernels(llvm::Module& module, const Options& options, PhaseTimes& times) {
  times.begin("prepare");
  check_types(module);
  prepare_module(module);
  link_early_builtins(module);
  guard_divisions(module);
  inline_work_item_code(module);
  for (llvm::Function* kernel : find_kernels(module)) lower_struct_arguments(*kernel);
  times.begin("simplify");
  simplify_kernels(module, options.optimize);
}

// Local variables, above all, which are offsets now.
void erase_unused_variables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty() && variable.hasLocalLinkage()) variable.eraseFromParent();
  }
}

// Where a region's calls of work-item functions end.
void lower_region(llvm::Function& region) {
  lower_printf(region);
  lower_work_item_functions(region);
}

// Gives a region its packet form; false if it has none.
bool vectorize(Region& region, const KernelInfo& info, const Options& options, const Target& target,
               PartRemarks& remarks) {
  if (!options.optimize) return remarks.refuse("optimization is off");
  unsigned lanes = options.width ? options.width : choose_lanes(*region.function, target);
  if (lanes == 1) return remarks.refuse("-cl-conclave-width=1");
  if (uint64_t row = info.required_local_size[0])
    lanes = static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_floor(row)));
  if (lanes == 1) return remarks.refuse("the required work-group size has 1 in dimension 0");
  return vectorize_region(region, lanes, target, remarks);
}

KernelRemarks vectorize(RegionedKernel& kernel, const KernelInfo& info, const Options& options,
                        const Target& target) {
  KernelRemarks remarks{.kernel = kernel.name, .place = {}, .parts = {}};
  if (const llvm::DISubprogram* description = kernel.original->getSubprogram())
    remarks.place = {description->getFilename().str(), description->getLine(), 0};
  for (Region& region : kernel.regions) {
    PartRemarks& part = remarks.parts.emplace_back();
    if (options.verbose) part.want_all(*region.function);
    vectorize(region, info, options, target, part);
  }
  return remarks;
}

}  // namespace

std::vector<KernelInfo> describe_kernels(llvm::Module& module) {
  take_annotations(module);
  std::vector<KernelInfo> kernels;
  for (llvm::Function* kernel : find_kernels(module)) kernels.push_back(describe_kernel(*kernel));
  return kernels;
}

std::vector<KernelInfo> lower_kernels(llvm::Module& module, const Options& options,
                                      const Target& target, PhaseTimes& times,
                                      std::vector<KernelRemarks>& remarks) {
  std::vector<KernelInfo> infos = describe_kernels(module);
  prepare_kernels(module, options, times);

  times.begin("regions");
  std::vector<llvm::Function*> kernels = find_kernels(module);
  std::vector<RegionedKernel> regioned;
  for (llvm::Function* function : kernels) {
    RegionedKernel& kernel = regioned.emplace_back(form_regions(*function));
    lower_local_variables(kernel);
    add_alias_scopes(kernel);
    for (const Region& region : kernel.regions) lower_region(*region.function);
  }

  times.begin("builtins");
  link_late_builtins(module);

  times.begin("vectorize");
  for (size_t i = 0; i < regioned.size(); ++i)
    remarks.push_back(vectorize(regioned[i], infos[i], options, target));

  times.begin("work-groups");
  for (size_t i = 0; i < regioned.size(); ++i) {
    emit_work_group_function(regioned[i], infos[i], options.denorms_are_zero);
    infos[i].local_bytes = regioned[i].local_bytes;
    infos[i].spill_bytes = regioned[i].spill_bytes;
  }
  for (llvm::Function* kernel : kernels) kernel->eraseFromParent();
  erase_unused_variables(module);
  lower_local_atomics(module);
  check_resolved(module);
  StackBytes stack;
  for (size_t i = 0; i < regioned.size(); ++i) check_private_memory(regioned[i], infos[i], stack);
  flatten_address_spaces(module);
  return infos;
}

}  // namespace conclave::compiler
