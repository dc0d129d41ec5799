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
#include "compiler/passes/address_spaces.h"
#include "compiler/passes/alias_scopes.h"
#include "compiler/passes/flatten_address_spaces.h"
#include "compiler/passes/form_regions.h"
#include "compiler/passes/group_rows.h"
#include "compiler/passes/guard_division.h"
#include "compiler/passes/inline_work_item_code.h"
#include "compiler/passes/known_local_size.h"
#include "compiler/passes/local_memory.h"
#include "compiler/passes/lower_images.h"
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

// Leaves `infos` the one kernel that is wanted, and fixes the size of its work-groups.
void specialize(std::vector<KernelInfo>& infos, const Specialization& wanted) {
  std::erase_if(infos, [&](const KernelInfo& info) { return info.name != wanted.kernel; });
  if (infos.empty())
    throw OptionError("error: option '-cl-conclave-local-size': the program has no kernel '" +
                      wanted.kernel + "'");
  infos[0].required_local_size = wanted.local_size;
  infos[0].uniform_work_groups = true;
}

// Local variables, above all, once they are offsets.
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

// Those that `infos` does not know. What is called like a function is no kernel any more.
void erase_other_kernels(llvm::Module& module, const std::vector<KernelInfo>& infos) {
  for (llvm::Function* kernel : find_kernels(module)) {
    const auto is_it = [&](const KernelInfo& info) { return kernel->getName() == info.name; };
    if (std::none_of(infos.begin(), infos.end(), is_it)) kernel->eraseFromParent();
  }
  erase_unused(module);
}

// A variable of the program exists once; specialised code would have one of its own.
void check_shares_no_variables(const llvm::Module& module, const std::string& kernel) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (!variable.isConstant() && !variable.use_empty() &&
        variable.getAddressSpace() == kGlobalAddressSpace)
      throw BuildError("kernel '" + kernel + "' cannot be specialised: it uses the variable '" +
                       variable.getName().str() + "'");
}

// Everything that must happen to a kernel while it still describes one work-item.
void prepare_kernels(llvm::Module& module, const std::vector<KernelInfo>& infos,
                     const Options& options, PhaseTimes& times) {
  times.begin("prepare");
  check_types(module);
  lower_images(module);
  prepare_module(module);
  if (options.specialization) erase_other_kernels(module, infos);
  link_early_builtins(module);
  guard_divisions(module);
  inline_work_item_code(module);
  std::vector<llvm::Function*> kernels = find_kernels(module);
  for (size_t i = 0; i < kernels.size(); ++i) {
    lower_struct_arguments(*kernels[i]);
    apply_local_size_to_kernel(*kernels[i], infos[i]);
  }
  times.begin("simplify");
  simplify_kernels(module, options.optimize);
  if (options.specialization && options.optimize)
    for (llvm::Function* kernel : kernels) unroll_barrier_loops(*kernel);
}

// Where a region's calls of work-item functions end.
void lower_region(llvm::Function& region) {
  lower_printf(region);
  lower_work_item_functions(region);
}

// The length of a group's rows, or 0: it is unknown, or groups are joined to longer rows.
uint64_t known_row(const RegionedKernel& kernel, const KernelInfo& info) {
  return kernel.joins_groups ? 0 : info.required_local_size[0];
}

// The lanes that suit a region. A row that is known to be shorter needs no more of them than it has
// work-items.
unsigned suitable_lanes(const Region& region, uint64_t row, const KernelInfo& info,
                        const Options& options, const Target& target) {
  if (info.required_sub_group_size) return info.required_sub_group_size;
  if (!options.optimize) return 1;
  const unsigned lanes = options.width ? options.width : choose_lanes(*region.function, target);
  return row ? static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_ceil(row))) : lanes;
}

// Rows of unknown length have a rest that is run one by one; so has one with a rest of one. Not
// where packets are sub-groups: all work-items are in one.
PacketForms needed_forms(const Region& region, unsigned lanes, uint64_t row, const KernelInfo& info,
                         const Options& options) {
  PacketForms forms = {.packet = row == 0 || row >= lanes, .remainder = row % lanes > 1};
  forms.only_if_faster =
      options.width == 0 && !info.required_sub_group_size && !region.has_sub_groups;
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

const char* why_one_lane(const Options& options) {
  if (!options.optimize) return "optimization is off";
  return options.width == 1 ? "-cl-conclave-width=1"
                            : "the required size of work-groups or sub-groups has 1 in dimension 0";
}

// Gives the regions of a kernel their packet forms, as far as they have one; of a kernel with
// sub-groups all or none.
void vectorize_regions(RegionedKernel& kernel, llvm::ArrayRef<unsigned> lanes,
                       const KernelInfo& info, const Options& options, const Target& target,
                       std::vector<PartRemarks>& remarks) {
  for (size_t i = 0; i < kernel.regions.size(); ++i) {
    Region& region = kernel.regions[i];
    if (lanes[i] == 1) {
      remarks[i].refuse(why_one_lane(options));
      continue;
    }
    const PacketForms forms =
        needed_forms(region, lanes[i], known_row(kernel, info), info, options);
    if (vectorize_region(region, lanes[i], forms, target, remarks[i])) continue;
    if (!region.has_sub_groups) continue;
    if (info.required_sub_group_size)
      throw BuildError("kernel '" + kernel.name + "' requires sub-groups of " +
                       std::to_string(lanes[i]) +
                       " work-items, but cannot be vectorized: " + remarks[i].why_not);
    for (size_t other = 0; other < i; ++other)
      remarks[other].refuse("another part with sub-groups cannot be vectorized");
    for (Region& other : kernel.regions) erase_packet_forms(other);
    return;
  }
}

KernelRemarks start_remarks(const RegionedKernel& kernel, const Options& options) {
  KernelRemarks remarks{.kernel = kernel.name, .place = {}, .parts = {}};
  if (const llvm::DISubprogram* description = kernel.original->getSubprogram())
    remarks.place = {description->getFilename().str(), description->getLine(), 0};
  remarks.parts.resize(kernel.regions.size());
  for (size_t i = 0; options.verbose && i < kernel.regions.size(); ++i)
    remarks.parts[i].want_all(*kernel.regions[i].function);
  return remarks;
}

// Lets the work-items that have a function of their own know how many are in their sub-group.
void lower_sub_groups_of_one(const RegionedKernel& kernel, const KernelInfo& info) {
  for (const Region& region : kernel.regions) {
    fix_sub_group_sizes(*region.function, {1, info.lanes, info.required_sub_group_size != 0});
    lower_single_sub_groups(*region.function);
  }
}

KernelRemarks vectorize(RegionedKernel& kernel, KernelInfo& info, const Options& options,
                        const Target& target) {
  KernelRemarks remarks = start_remarks(kernel, options);
  const bool has_sub_groups = llvm::any_of(
      kernel.regions, [](const Region& region) { return uses_sub_groups(*region.function); });
  kernel.joins_groups = !has_sub_groups && is_indifferent_to_groups(kernel);
  llvm::SmallVector<unsigned> lanes;
  for (Region& region : kernel.regions) {
    region.has_sub_groups = has_sub_groups;
    if (!kernel.joins_groups) apply_local_size_to_region(*region.function, info);
    region.has_required_lanes = info.required_sub_group_size != 0;
    lanes.push_back(suitable_lanes(region, known_row(kernel, info), info, options, target));
  }
  if (has_sub_groups) lanes.assign(lanes.size(), *std::min_element(lanes.begin(), lanes.end()));
  vectorize_regions(kernel, lanes, info, options, target, remarks.parts);

  info.joins_groups = kernel.joins_groups;
  for (const Region& region : kernel.regions) info.lanes = std::max(info.lanes, region.lanes);
  if (has_sub_groups) lower_sub_groups_of_one(kernel, info);
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
  if (options.specialization) specialize(infos, *options.specialization);
  prepare_kernels(module, infos, options, times);
  if (options.specialization) check_shares_no_variables(module, options.specialization->kernel);

  times.begin("regions");
  std::vector<llvm::Function*> kernels = find_kernels(module);
  std::vector<RegionedKernel> regioned;
  for (size_t i = 0; i < kernels.size(); ++i) {
    RegionedKernel& kernel = regioned.emplace_back(form_regions(*kernels[i]));
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
