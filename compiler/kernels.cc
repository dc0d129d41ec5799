// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernels.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <bit>

#include "compiler/builtins_link.h"
#include "compiler/check/check_regions.h"
#include "compiler/check/prepare_checks.h"
#include "compiler/codegen.h"
#include "compiler/error.h"
#include "compiler/native_calls.h"
#include "compiler/passes/address_spaces.h"
#include "compiler/passes/alias_scopes.h"
#include "compiler/passes/cpu_questions.h"
#include "compiler/passes/flatten_address_spaces.h"
#include "compiler/passes/form_regions.h"
#include "compiler/passes/group_rows.h"
#include "compiler/passes/guard_division.h"
#include "compiler/passes/inline_work_item_code.h"
#include "compiler/passes/known_image_formats.h"
#include "compiler/passes/known_local_size.h"
#include "compiler/passes/local_memory.h"
#include "compiler/passes/lower_images.h"
#include "compiler/passes/lower_local_atomics.h"
#include "compiler/passes/lower_printf.h"
#include "compiler/passes/lower_streams.h"
#include "compiler/passes/prepare_module.h"
#include "compiler/passes/streaming_stores.h"
#include "compiler/passes/struct_arguments.h"
#include "compiler/passes/sub_groups.h"
#include "compiler/passes/work_group_function.h"
#include "compiler/passes/work_item_functions.h"
#include "compiler/simplifier.h"
#include "compiler/stack_bytes.h"
#include "compiler/tuning.h"
#include "compiler/vectorizer/lane_count.h"
#include "compiler/vectorizer/lane_dimension.h"
#include "compiler/vectorizer/lane_masks.h"
#include "compiler/vectorizer/vectorize_region.h"

namespace conclave::compiler {
namespace {

// A worker's stack is finite; what a kernel cannot have must be told at build time.
constexpr uint64_t kMaxPrivateBytes = uint64_t{8} << 20;

std::vector<llvm::Function*> all_forms(const Region& region) {
  std::vector<llvm::Function*> forms = region.packet_forms();
  forms.push_back(region.function);
  return forms;
}

void check_private_memory(const RegionedKernel& kernel, KernelInfo& info, StackBytes& stack) {
  for (const auto* regions : {&kernel.regions, &kernel.other_regions})
    for (const Region& region : *regions)
      for (const llvm::Function* form : all_forms(region))
        info.private_bytes = std::max(info.private_bytes, stack.of(*form));
  uint64_t bytes = info.private_bytes + kernel.spill_bytes;
  if (bytes > kMaxPrivateBytes)
    throw BuildError("kernel '" + kernel.name + "' needs " + std::to_string(bytes) +
                     " bytes of private memory per work-item; at most " +
                     std::to_string(kMaxPrivateBytes) + " are possible");
}

// Leaves `infos` the one kernel that is wanted, and fixes the size of its work-groups if that is.
void specialize(std::vector<KernelInfo>& infos, const Specialization& wanted) {
  std::erase_if(infos, [&](const KernelInfo& info) { return info.name != wanted.kernel; });
  if (infos.empty())
    throw OptionError(std::string("error: option '-cl-conclave-") +
                      (wanted.local_size[0] ? "local-size" : "image-formats") +
                      "': the program has no kernel '" + wanted.kernel + "'");
  if (wanted.local_size[0] == 0) return;
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
                     const Options& options, Simplifier& simplifier, PhaseTimes& times) {
  times.begin("prepare");
  check_types(module);
  lower_streams(module);
  lower_images(module);
  prepare_module(module);
  if (options.specialization) erase_other_kernels(module, infos);
  link_early_builtins(module);
  guard_divisions(module);
  inline_work_item_code(module);
  std::vector<llvm::Function*> kernels = find_kernels(module);
  if (options.check) prepare_checks(module, kernels, options.optimize);
  for (size_t i = 0; i < kernels.size(); ++i) {
    lower_struct_arguments(*kernels[i]);
    apply_local_size_to_kernel(*kernels[i], infos[i]);
    if (options.specialization)
      note_image_formats(*kernels[i], infos[i], options.specialization->image_formats);
  }
  times.begin("simplify");
  if (!options.optimize) return;
  simplifier.run(module);
  if (options.specialization && tuning().unroll_barrier_loops)
    for (llvm::Function* kernel : kernels) simplifier.unroll_barrier_loops(*kernel);
}

// Where a region's calls of work-item functions end.
void lower_region(llvm::Function& region) {
  lower_printf(region);
  lower_work_item_functions(region);
}

using Size = std::array<uint64_t, 3>;

// The size of a group in each dimension, or 0: it is unknown, or groups are joined to longer rows.
Size known_size(const RegionedKernel& kernel, const KernelInfo& info) {
  return kernel.joins_groups ? Size{} : Size(info.required_local_size);
}

unsigned wanted_lanes(const Region& region, bool has_long_rows, const KernelInfo& info,
                      const Options& options, const Target& target) {
  if (info.required_sub_group_size) return info.required_sub_group_size;
  if (!options.optimize) return 1;
  return options.width ? options.width
                       : choose_lanes(*region.function, target.model(), has_long_rows);
}

// A row that is known to be shorter needs no more lanes than it has work-items.
unsigned lanes_for_row(unsigned lanes, uint64_t row, const KernelInfo& info) {
  if (row == 0 || info.required_sub_group_size) return lanes;
  return static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_ceil(row)));
}

// Rows of unknown length have a rest that is run one by one, unless it may be long; so has one with
// a rest of one. Not where packets are sub-groups: all work-items are in one.
PacketForms needed_forms(const Region& region, unsigned lanes, unsigned dimension, const Size& size,
                         const KernelInfo& info, const Options& options) {
  const uint64_t row = size[dimension];
  PacketForms forms = {.packet = row == 0 || row >= lanes, .remainder = row % lanes > 1};
  forms.dimension = dimension;
  const uint64_t height = size[dimensions_from(dimension)[1]];
  forms.tall = forms.packet && !region.has_sub_groups && height != 1;
  forms.rows = height;
  forms.only_if_faster =
      options.width == 0 && !info.required_sub_group_size && !region.has_sub_groups;
  if (row == 0 && options.width == 0 && lanes > tuning().max_usual_lanes) forms.remainder = true;
  if (region.has_sub_groups)
    forms.remainder = row == 0 || row % lanes != 0 || !info.uniform_work_groups;
  return forms;
}

void forget_packet_forms(Region& region) {
  region.packet = region.remainder = nullptr;
  region.tall.clear();
  region.lanes = 1;
}

void erase_packet_forms(Region& region) {
  for (llvm::Function* form : region.packet_forms()) form->eraseFromParent();
  forget_packet_forms(region);
}

const char* why_one_lane(const Options& options) {
  if (!options.optimize) return "optimization is off";
  return options.width == 1 ? "-cl-conclave-width=1"
                            : "the required size of work-groups or sub-groups has 1 in dimension 0";
}

// What is to become of a kernel's regions.
struct Plan {
  std::vector<unsigned> lanes;  // of each
  unsigned dimension;
  Size size;  // of a work-group, 0 where it is not known
};

// Gives the regions of a kernel their packet forms, as far as they have one; of a kernel with
// sub-groups all or none.
void vectorize_regions(const std::string& kernel, std::vector<Region>& regions, const Plan& plan,
                       const KernelInfo& info, const Options& options, const Target& target,
                       Simplifier& simplifier, std::vector<PartRemarks>& remarks) {
  for (size_t i = 0; i < regions.size(); ++i) {
    Region& region = regions[i];
    const unsigned lanes = lanes_for_row(plan.lanes[i], plan.size[plan.dimension], info);
    if (lanes == 1) {
      remarks[i].refuse(why_one_lane(options));
      continue;
    }
    const PacketForms forms = needed_forms(region, lanes, plan.dimension, plan.size, info, options);
    if (vectorize_region(region, lanes, forms, target, simplifier, remarks[i])) continue;
    if (!region.has_sub_groups) continue;
    if (info.required_sub_group_size)
      throw BuildError("kernel '" + kernel + "' requires sub-groups of " + std::to_string(lanes) +
                       " work-items, but cannot be vectorized: " + remarks[i].why_not);
    for (size_t other = 0; other < i; ++other)
      remarks[other].refuse("another part with sub-groups cannot be vectorized");
    for (Region& other : regions) erase_packet_forms(other);
    return;
  }
  if (tuning().streaming_stores) stream_stores(regions, target.model());
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

// Packets along another dimension, for the launches that have long rows there: those of others
// should not be without packets. Tells about them instead of the usual ones.
void add_other_regions(RegionedKernel& kernel, const Plan& plan, const KernelInfo& info,
                       const Options& options, const Target& target, Simplifier& simplifier,
                       KernelRemarks& remarks) {
  KernelRemarks others = start_remarks(kernel, options);
  std::vector<Region> regions = kernel.regions;
  for (Region& region : regions) {
    forget_packet_forms(region);
    region.dimension = plan.dimension;
  }
  vectorize_regions(kernel.name, regions, plan, info, options, target, simplifier, others.parts);
  const auto is_scalar = [](const Region& region) { return region.lanes == 1; };
  if (llvm::all_of(regions, is_scalar)) return;
  for (PartRemarks& part : others.parts) part.depends_on_size = true;
  kernel.other_regions = std::move(regions);
  remarks = std::move(others);
}

// Plans are made for the kernel without its checks, whose code mostly does not run.
RegionedKernel make_model(const RegionedKernel& kernel) {
  RegionedKernel model = kernel;
  for (Region& region : model.regions) {
    llvm::ValueToValueMapTy map;
    region.function = llvm::CloneFunction(region.function, map);
  }
  lower_local_variables(model);
  for (const Region& region : model.regions) lower_region(*region.function);
  return model;
}

unsigned best_dimension(const RegionedKernel& kernel, const Plan& plan, const Target& target) {
  const llvm::Function& function = *kernel.regions[0].function;
  return choose_dimension(kernel.regions, plan.lanes, plan.size,
                          target.machine().getTargetTransformInfo(function));
}

// `model` is `kernel`, or the same without checks.
KernelRemarks vectorize(RegionedKernel& kernel, const RegionedKernel& model, KernelInfo& info,
                        const Options& options, const Target& target, Simplifier& simplifier) {
  const bool has_sub_groups = llvm::any_of(
      kernel.regions, [](const Region& region) { return uses_sub_groups(*region.function); });
  kernel.joins_groups = !has_sub_groups && is_indifferent_to_groups(kernel);
  Plan plan{{}, 0, known_size(kernel, info)};
  for (size_t i = 0; i < kernel.regions.size(); ++i) {
    Region& region = kernel.regions[i];
    region.has_sub_groups = has_sub_groups;
    if (!kernel.joins_groups) apply_local_size_to_region(*region.function, info);
    region.has_required_lanes = info.required_sub_group_size != 0;
    plan.lanes.push_back(
        wanted_lanes(model.regions[i], kernel.joins_groups, info, options, target));
  }
  const unsigned least = *std::min_element(plan.lanes.begin(), plan.lanes.end());
  if (has_sub_groups) plan.lanes.assign(plan.lanes.size(), least);
  // Sub-groups are made of neighbours in dimension 0.
  if (!has_sub_groups && least > 1)
    plan.dimension = options.dimension ? *options.dimension : best_dimension(model, plan, target);
  const bool depends_on_size = plan.dimension != 0 && plan.size[plan.dimension] == 0;
  Plan usual = plan;
  if (depends_on_size) usual.dimension = 0;
  KernelRemarks remarks = start_remarks(kernel, options);
  vectorize_regions(kernel.name, kernel.regions, usual, info, options, target, simplifier,
                    remarks.parts);
  if (depends_on_size) add_other_regions(kernel, plan, info, options, target, simplifier, remarks);

  info.joins_groups = kernel.joins_groups;
  for (const auto* regions : {&kernel.regions, &kernel.other_regions})
    for (const Region& region : *regions) {
      info.lanes = std::max(info.lanes, region.lanes);
      info.dimension = region.dimension;
    }
  if (has_sub_groups) lower_sub_groups_of_one(kernel, info);
  if (options.check)
    for (const Region& region : kernel.regions) lower_votes_of_one(*region.function);
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
                                      const Target& target, const NativeCode& native,
                                      PhaseTimes& times, std::vector<KernelRemarks>& remarks) {
  std::vector<KernelInfo> infos = describe_kernels(module);
  if (options.specialization) specialize(infos, *options.specialization);
  lower_native_calls(module, native);
  for (KernelInfo& info : infos)
    info.calls_native = calls_native(*module.getFunction(info.name), native);
  Simplifier simplifier(module);
  prepare_kernels(module, infos, options, simplifier, times);
  if (options.specialization) check_shares_no_variables(module, options.specialization->kernel);

  times.begin("regions");
  std::vector<llvm::Function*> kernels = find_kernels(module);
  std::vector<RegionedKernel> regioned, models;
  for (size_t i = 0; i < kernels.size(); ++i) {
    RegionedKernel& kernel = regioned.emplace_back(form_regions(*kernels[i], options.check));
    if (options.check) {
      models.push_back(make_model(kernel));
      check_regions(kernel, infos[i]);
    }
    lower_local_variables(kernel);
    add_alias_scopes(kernel);
    for (const Region& region : kernel.regions) lower_region(*region.function);
  }

  times.begin("builtins");
  link_late_builtins(module);
  answer_cpu_questions(module, target);

  times.begin("vectorize");
  for (size_t i = 0; i < regioned.size(); ++i)
    remarks.push_back(vectorize(regioned[i], options.check ? models[i] : regioned[i], infos[i],
                                options, target, simplifier));
  for (const RegionedKernel& model : models)
    for (const Region& region : model.regions) region.function->eraseFromParent();
  answer_scalar_questions(module);

  times.begin("work-groups");
  for (size_t i = 0; i < regioned.size(); ++i) {
    emit_work_group_function(regioned[i], infos[i], options.denorms_are_zero);
    infos[i].local_bytes = regioned[i].local_bytes;
    infos[i].spill_bytes = regioned[i].spill_bytes;
  }
  for (llvm::Function* kernel : kernels) kernel->eraseFromParent();
  erase_unused_variables(module);
  lower_local_atomics(module);
  check_resolved(module, native);
  StackBytes stack;
  for (size_t i = 0; i < regioned.size(); ++i) check_private_memory(regioned[i], infos[i], stack);
  flatten_address_spaces(module);
  return infos;
}

}  // namespace conclave::compiler
