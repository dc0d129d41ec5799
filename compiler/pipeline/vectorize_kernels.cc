// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/vectorize_kernels.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <bit>

#include "compiler/base/attributes.h"
#include "compiler/base/error.h"
#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "compiler/pipeline/code_budget.h"
#include "compiler/vectorizer/analysis/lane_count.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lockstep.h"
#include "compiler/vectorizer/form_passes.h"
#include "compiler/vectorizer/vectorize_region.h"
#include "compiler/workgroup/brief_work.h"
#include "compiler/workgroup/group_order.h"
#include "compiler/workgroup/group_rows.h"
#include "compiler/workgroup/known_local_size.h"
#include "compiler/workgroup/simplify.h"
#include "compiler/workgroup/sub_groups.h"
#include "compiler/workgroup/sum_arguments.h"
#include "compiler/x86/cpu_questions.h"

namespace conclave::compiler {
namespace {

using Size = std::array<uint64_t, 3>;

// The size of a group in each dimension, or 0: it is unknown, or groups are joined to longer rows.
Size known_size(const RegionedKernel& kernel, const KernelInfo& info) {
  return kernel.joins_groups ? Size{} : Size(info.required_local_size);
}

// Code that is good enough to begin with; what is specialised is made when that has run for a while.
bool is_first_build(const Options& options) {
  return options.first && !options.specialization;
}

// `row`: the length of the kernel's rows; 0: unknown, or of no concern.
unsigned wanted_lanes(const Region& region, bool joins_groups, uint64_t row, const KernelInfo& info,
                      const Options& options, llvm::FunctionAnalysisManager& analyses) {
  if (info.required_sub_group_size) return info.required_sub_group_size;
  if (!options.optimize) return 1;
  if (options.width) return options.width;
  const LaneCount& lanes = analyses.getResult<LaneCountAnalysis>(*region.function);
  const bool has_long_rows = joins_groups || (row != 0 && row % lanes.in_long_rows == 0);
  return has_long_rows ? lanes.in_long_rows : lanes.usual;
}

// A row that is known to be shorter needs no more lanes than it has work-items.
unsigned lanes_for_row(unsigned lanes, uint64_t row, const KernelInfo& info) {
  if (row == 0 || info.required_sub_group_size) return lanes;
  return static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_ceil(row)));
}

// Whether work-items know where they are in a dimension. Where none does, programs have no groups that
// extend along it.
bool asks_for_ids(llvm::ArrayRef<Region> regions, unsigned dimension) {
  return llvm::any_of(regions, [&](const Region& region) {
    return !region.function->getArg(kLocalId + dimension)->use_empty();
  });
}

// Rows of unknown length have a rest that is run one by one, unless it may be long, and not brief in a
// first build; so has one with a rest of one. Not where packets are sub-groups: all work-items are in one.
PacketForms needed_forms(const Region& region, unsigned lanes, unsigned dimension, const Size& size,
                         const KernelInfo& info, const Options& options) {
  const uint64_t row = size[dimension];
  PacketForms forms = {.packet = row == 0 || row >= lanes, .remainder = row % lanes > 1};
  forms.dimension = dimension;
  const uint64_t height = size[dimensions_from(dimension)[1]];
  forms.tall = forms.packet && !region.has_sub_groups && height != 1;
  forms.rows = height;
  forms.only_if_faster = options.width == 0 && !info.required_sub_group_size &&
                         !region.has_sub_groups && !region.runs_in_step;
  if (row == 0 && options.width == 0 && lanes > tuning().max_usual_lanes && !region.has_quick_rests)
    forms.remainder = true;
  if (region.has_sub_groups)
    forms.remainder = row == 0 || row % lanes != 0 || !info.uniform_work_groups;
  if (region.runs_in_step) forms.remainder = row == 0 || row % lanes != 0;
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
                       llvm::FunctionAnalysisManager& analyses, std::vector<PartRemarks>& remarks) {
  const bool has_rows = asks_for_ids(regions, dimensions_from(plan.dimension)[1]);
  for (size_t i = 0; i < regions.size(); ++i) {
    Region& region = regions[i];
    const unsigned lanes = lanes_for_row(plan.lanes[i], plan.size[plan.dimension], info);
    if (lanes == 1) {
      remarks[i].refuse(why_one_lane(options));
      continue;
    }
    region.has_brief_items = is_brief_besides_calls(*region.function, analyses);
    region.has_quick_rests = region.has_brief_items && is_first_build(options) &&
                             tuning().quick_rests && is_brief(*region.function, analyses);
    PacketForms forms = needed_forms(region, lanes, plan.dimension, plan.size, info, options);
    forms.whole_kernel = regions.size() == 1;
    forms.tall &= has_rows;
    if (vectorize_region(region, lanes, forms, target, analyses, remarks[i])) continue;
    if (!region.has_sub_groups) continue;
    if (info.required_sub_group_size)
      throw BuildError("kernel '" + kernel + "' requires sub-groups of " + std::to_string(lanes) +
                       " work-items, but cannot be vectorized: " + remarks[i].why_not);
    for (size_t other = 0; other < i; ++other)
      remarks[other].refuse("another part with sub-groups cannot be vectorized");
    for (Region& other : regions) erase_packet_forms(other);
    return;
  }
}

KernelRemarks start_remarks(const RegionedKernel& kernel, const Options& options) {
  KernelRemarks remarks{.kernel = kernel.name, .place = {}, .remarks = {}, .parts = {}};
  if (const llvm::DISubprogram* description = kernel.original->getSubprogram())
    remarks.place = {description->getFilename().str(), description->getLine(), 0};
  for (const KeptMemory& memory : kernel.kept_memory) {
    const std::string name = memory.name.empty() ? "" : " '" + memory.name + "'";
    remarks.remarks.push_back(
        {remarks.place, "private memory" + name + " of " + std::to_string(memory.bytes) + " bytes",
         "kept in memory across barriers, since " + memory.why});
  }
  remarks.parts.resize(kernel.regions.size());
  for (size_t i = 0; options.verbose && i < kernel.regions.size(); ++i)
    remarks.parts[i].want_all(*kernel.regions[i].function);
  return remarks;
}

// Lets the work-items that have a function of their own know how many are in their sub-group.
void lower_sub_groups_of_one(const RegionedKernel& kernel, const KernelInfo& info,
                             llvm::FunctionAnalysisManager& analyses) {
  for (const Region& region : kernel.regions) {
    const SubGroupSizes sizes{1, info.lanes, info.required_sub_group_size != 0};
    FixSubGroupSizes(sizes).run(*region.function, analyses);
    LowerSingleSubGroups().run(*region.function, analyses);
  }
}

// Packets along another dimension, for the launches that have long rows there: those of others
// should not be without packets. Tells about them instead of the usual ones.
void add_other_regions(RegionedKernel& kernel, const Plan& plan, const KernelInfo& info,
                       const Options& options, const Target& target,
                       llvm::FunctionAnalysisManager& analyses, KernelRemarks& remarks) {
  KernelRemarks others = start_remarks(kernel, options);
  std::vector<Region> regions = kernel.regions;
  for (Region& region : regions) {
    forget_packet_forms(region);
    region.dimension = plan.dimension;
  }
  vectorize_regions(kernel.name, regions, plan, info, options, target, analyses, others.parts);
  const auto is_scalar = [](const Region& region) { return region.lanes == 1; };
  if (llvm::all_of(regions, is_scalar)) return;
  for (PartRemarks& part : others.parts) part.depends_on_size = true;
  kernel.other_regions = std::move(regions);
  remarks = std::move(others);
}

// Whether there is a call, here or in what is called, that LLVM may inline in builds of the most effort
// only. A round function of a hash, for example.
bool calls_long_functions(const llvm::Function& function,
                          llvm::SmallPtrSetImpl<const llvm::Function*>& seen) {
  constexpr unsigned kUsuallyInlined = 50;  // instructions
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || callee->hasFnAttribute(llvm::Attribute::Cold) ||
        callee->hasFnAttribute(llvm::Attribute::NoInline) || !seen.insert(callee).second)
      continue;
    if (callee->getInstructionCount() > kUsuallyInlined || calls_long_functions(*callee, seen))
      return true;
  }
  return false;
}

// Whether the kernel becomes faster when it is made in full: the packets of first builds go through
// fewer passes.
bool is_reduced(const Region& region) {
  llvm::SmallPtrSet<const llvm::Function*, 16> seen;
  return region.lanes > 1 || calls_long_functions(*region.function, seen);
}

// As packets have them. A copy of a region that calls nothing stays as it is.
void inline_calls_for_packets(llvm::Function& copy, llvm::FunctionAnalysisManager& analyses) {
  const unsigned before = copy.getInstructionCount();
  InlineCalls(/*keeps=*/true).run(copy, analyses);
  if (copy.getInstructionCount() != before) simplify(copy, analyses);
}

// `model` is `kernel`, or the same without checks.
KernelRemarks vectorize(RegionedKernel& kernel, const RegionedKernel& model, KernelInfo& info,
                        const Options& options, const Target& target,
                        llvm::FunctionAnalysisManager& analyses) {
  const bool has_sub_groups = llvm::any_of(
      kernel.regions, [](const Region& region) { return uses_sub_groups(*region.function); });
  const bool runs_in_step =
      options.optimize && options.width == 0 && !info.required_sub_group_size &&
      llvm::any_of(model.regions,
                   [](const Region& region) { return expects_lockstep(*region.function); });
  const bool lanes_matter =
      has_sub_groups || runs_in_step || llvm::any_of(kernel.regions, [](const Region& region) {
        return asks_about_packets(*region.function);
      });
  kernel.joins_groups = !has_sub_groups && is_indifferent_to_groups(kernel);
  Plan plan{{}, 0, known_size(kernel, info)};
  // Code for a local size must not have sub-groups of another size than the kernel's other code.
  const uint64_t row = lanes_matter ? 0 : plan.size[0];
  for (size_t i = 0; i < kernel.regions.size(); ++i) {
    Region& region = kernel.regions[i];
    region.has_sub_groups = has_sub_groups;
    region.runs_in_step = runs_in_step;
    if (!kernel.joins_groups) apply_local_size_to_region(*region.function, info);
    region.has_required_lanes = info.required_sub_group_size != 0;
    plan.lanes.push_back(
        wanted_lanes(model.regions[i], kernel.joins_groups, row, info, options, analyses));
  }
  const unsigned least = *std::min_element(plan.lanes.begin(), plan.lanes.end());
  if (has_sub_groups) plan.lanes.assign(plan.lanes.size(), least);
  if (runs_in_step) plan.lanes.assign(plan.lanes.size(), kLanesInStep);
  // Sub-groups are made of neighbours in dimension 0, as are work-items that run in step.
  const auto inline_calls = [&](llvm::Function& copy) { inline_calls_for_packets(copy, analyses); };
  if (!has_sub_groups && !runs_in_step && least > 1)
    plan.dimension = options.dimension ? *options.dimension
                                       : choose_dimension(model.regions, plan.lanes, plan.size,
                                                          inline_calls, analyses);
  const bool depends_on_size = plan.dimension != 0 && plan.size[plan.dimension] == 0;
  Plan usual = plan;
  if (depends_on_size) usual.dimension = 0;
  KernelRemarks remarks = start_remarks(kernel, options);
  if (!options.check) note_sum_arguments(model, info);
  vectorize_regions(kernel.name, kernel.regions, usual, info, options, target, analyses,
                    remarks.parts);
  if (depends_on_size) add_other_regions(kernel, plan, info, options, target, analyses, remarks);

  info.joins_groups = kernel.joins_groups;
  info.keeps_order = may_wait_for_groups(model);
  info.lanes_matter = lanes_matter;
  for (const auto* regions : {&kernel.regions, &kernel.other_regions})
    for (const Region& region : *regions) {
      info.reduced = info.reduced || (is_first_build(options) && is_reduced(region));
      info.lanes = std::max(info.lanes, region.lanes);
      info.dimension = region.dimension;
      info.asks_if_disjoint |= llvm::any_of(region.packet_forms(), [](const auto* form) {
        return form->hasFnAttribute(kAsksIfDisjoint);
      });
    }
  if (has_sub_groups) lower_sub_groups_of_one(kernel, info, analyses);
  if (options.check)
    for (const Region& region : kernel.regions) LowerVotesOfOne().run(*region.function, analyses);
  return remarks;
}

// What mathematical functions do for seldom arguments, for example.
void compile_cold_functions_quickly(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function& function : module)
    if (function.hasFnAttribute(llvm::Attribute::Cold) && is_brief(function, analyses))
      function.addFnAttr(kQuickCode);
}

}  // namespace

llvm::PreservedAnalyses VectorizeKernels::run(llvm::Module& module,
                                              llvm::ModuleAnalysisManager& analyses) const {
  Program& program = program_of(module, analyses);
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (is_first_build(options) && tuning().quick_rests)
    compile_cold_functions_quickly(module, functions);
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const RegionedKernel& model = options.check ? program.models[i] : program.kernels[i];
    remarks.push_back(
        vectorize(program.kernels[i], model, program.infos[i], options, target, functions));
  }
  if (is_first_build(options)) keep_to_budget(program, remarks, target, functions);
  for (const RegionedKernel& model : program.models)
    for (const Region& region : model.regions) region.function->eraseFromParent();
  program.models.clear();
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
