// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernels.h"

#include <llvm/ADT/DenseMap.h>
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
#include "compiler/passes/sub_groups.h"
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
    for (const llvm::Function* form : {region.packet, region.remainder})
      if (form) info.private_bytes = std::max(info.private_bytes, stack.of(*form));
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

// The lanes that suit a region. A row that is known to be shorter needs no more of them than it has
// work-items.
unsigned suitable_lanes(const Region& region, const KernelInfo& info, const Options& options,
                        const Target& target) {
  if (info.required_sub_group_size) return info.required_sub_group_size;
  if (!options.optimize) return 1;
  const unsigned lanes = options.width ? options.width : choose_lanes(*region.function, target);
  const uint64_t row = info.required_local_size[0];
  return row ? static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_ceil(row))) : lanes;
}

// Rows of unknown length have a rest that is run one by one; so has one with a rest of one. Not
// where packets are sub-groups: all work-items are in one.
PacketForms needed_forms(const Region& region, unsigned lanes, const KernelInfo& info) {
  const uint64_t row = info.required_local_size[0];
  PacketForms forms = {.packet = row == 0 || row >= lanes, .remainder = row % lanes > 1};
  if (region.has_sub_groups)
    forms.remainder = row == 0 || row % lanes != 0 || !info.uniform_work_groups;
  return forms;
}

void erase_packet_forms(Region& region) {
  for (llvm::Function* form : {region.packet, region.remainder})
    if (form) form->eraseFromParent();
  region.packet = region.remainder = nullptr;
  region.lanes = 1;
}

// Gives the regions of a kernel their packet forms, as far as they have one; of a kernel with
// sub-groups all or none.
void vectorize_regions(RegionedKernel& kernel, llvm::ArrayRef<unsigned> lanes,
                       const KernelInfo& info, const Target& target, std::string& remarks) {
  for (size_t i = 0; i < kernel.regions.size(); ++i) {
    Region& region = kernel.regions[i];
    if (lanes[i] == 1) continue;
    const PacketForms forms = needed_forms(region, lanes[i], info);
    const std::string why_not = vectorize_region(region, lanes[i], forms, target);
    if (why_not.empty()) continue;
    remarks += "remark: kernel '" + kernel.name + "', part " + std::to_string(i + 1) + " of " +
               std::to_string(kernel.regions.size()) + ": not vectorized: " + why_not + "\n";
    if (!region.has_sub_groups) continue;
    if (info.required_sub_group_size)
      throw BuildError("kernel '" + kernel.name + "' requires sub-groups of " +
                       std::to_string(lanes[i]) +
                       " work-items, but cannot be vectorized: " + why_not);
    for (Region& other : kernel.regions) erase_packet_forms(other);
    return;
  }
}

void vectorize(RegionedKernel& kernel, KernelInfo& info, const Options& options,
               const Target& target, std::string& remarks) {
  const bool has_sub_groups = llvm::any_of(
      kernel.regions, [](const Region& region) { return uses_sub_groups(*region.function); });
  llvm::SmallVector<unsigned> lanes;
  for (Region& region : kernel.regions) {
    region.has_sub_groups = has_sub_groups;
    region.has_required_lanes = info.required_sub_group_size != 0;
    lanes.push_back(suitable_lanes(region, info, options, target));
  }
  if (has_sub_groups) lanes.assign(lanes.size(), *std::min_element(lanes.begin(), lanes.end()));
  vectorize_regions(kernel, lanes, info, target, remarks);

  for (const Region& region : kernel.regions) info.lanes = std::max(info.lanes, region.lanes);
  if (!has_sub_groups) return;
  for (const Region& region : kernel.regions) {
    fix_sub_group_sizes(*region.function, {1, info.lanes, info.required_sub_group_size != 0});
    lower_single_sub_groups(*region.function);
  }
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
                                      std::string& remarks) {
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
    vectorize(regioned[i], infos[i], options, target, remarks);

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
