// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/check_regions.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "compiler/check/barrier_checks.h"
#include "compiler/check/check_private.h"
#include "compiler/check/check_sites.h"
#include "compiler/check/close_look.h"
#include "compiler/check/quick_checks.h"
#include "compiler/check/segments.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/sub_groups.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

std::vector<CheckedAccess> find_accesses(llvm::Function& region) {
  std::vector<CheckedAccess> accesses;
  for (Instruction& instruction : llvm::instructions(region))
    if (auto access = find_access(instruction)) accesses.push_back(*access);
  return accesses;
}

class RegionChecker {
 public:
  RegionChecker(llvm::Function& region, const std::string& kernel, const Granules& granules,
                const ObjectUses& in_kernel)
      : region_(region),
        accesses_(find_accesses(region)),
        granules_(granules),
        values_(region),
        close_look_(values_, kernel, granules),
        quick_(values_, granules, in_kernel, uses_) {
    for (const CheckedAccess& access : accesses_) uses_.add(access);
  }

  void run() {
    llvm::SmallVector<BasicBlock*> blocks;
    for (BasicBlock& block : region_) blocks.push_back(&block);
    // Copies first: the blocks stay whole.
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : llvm::make_early_inc_range(*block))
        if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
          close_look_.replace_length(*copy);
    llvm::MapVector<BasicBlock*, std::vector<CheckedAccess>> plain;
    for (const CheckedAccess& access : accesses_)
      if (is_quick(access))
        plain[access.instruction->getParent()].push_back(access);
      else
        close_look_.redirect(access, *access.instruction);
    for (auto& [block, accesses] : plain) {
      const std::vector<Segment> segments = find_segments(accesses);
      // From the last on: the code before stays in its block.
      for (const Segment& segment : llvm::reverse(segments)) check(segment);
    }
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(region_)))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (is_private_finding(*call)) close_look_.report_private(*call);
  }

  RegionValues& values() { return values_; }

 private:
  bool is_quick(const CheckedAccess& access) const {
    return access.is_plain() && access.bytes / granules_.of(access.object) <= tuning().checked_tags;
  }

  void branch(IRBuilder<>& builder, Value* to_slow, BasicBlock* slow, BasicBlock* on) {
    llvm::MDNode* rarely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
    builder.CreateCondBr(to_slow, slow, on, rarely);
  }

  BasicBlock* add_block(const char* name, BasicBlock* before) {
    return BasicBlock::Create(region_.getContext(), name, &region_, before);
  }

  void check(const Segment& segment) {
    const TwoVersions versions = make_two_versions(segment);
    for (auto [access, slow] : llvm::zip(segment, versions.slow_accesses))
      close_look_.redirect(access, *slow);
    IRBuilder<> builder(versions.before);
    builder.SetCurrentDebugLocation(segment.front().instruction->getDebugLoc());
    Value* misplaced = quick_.any_misplaced(builder, segment);
    Value* tracked = quick_.are_tracked(builder, segment);
    BasicBlock* look = tracked ? add_block("check.look", versions.quick) : versions.quick;
    branch(builder, misplaced, versions.slow, look);
    if (!tracked) return;
    builder.SetInsertPoint(look);
    BasicBlock* compare = add_block("check.compare", versions.quick);
    BasicBlock* note = add_block("check.note", versions.quick);
    builder.CreateCondBr(tracked, compare, versions.quick);
    builder.SetInsertPoint(compare);
    branch(builder, quick_.any_doubtful(builder, segment), versions.slow, note);
    builder.SetInsertPoint(note);
    quick_.note(builder, segment);
    Value* lost = quick_.any_overwritten(builder, segment);
    if (!lost) {
      builder.CreateBr(versions.quick);
      return;
    }
    BasicBlock* forget = add_block("check.forget", versions.slow);
    branch(builder, lost, forget, versions.quick);
    builder.SetInsertPoint(forget);
    quick_.forget_writes(builder, segment);
    builder.CreateBr(versions.slow);
  }

  llvm::Function& region_;
  std::vector<CheckedAccess> accesses_;
  const Granules& granules_;
  ObjectUses uses_;
  RegionValues values_;
  CloseLook close_look_;
  QuickChecks quick_;
};

// Whether a call orders accesses to global memory between work-items, besides barriers.
bool is_global_fence(const Instruction& instruction) {
  if (llvm::isa<llvm::FenceInst>(instruction)) return true;
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->getName().contains("_fence") || call->arg_size() == 0) return false;
  constexpr uint64_t kLocalFence = 1;  // CLK_LOCAL_MEM_FENCE
  auto* memory = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  return !memory || memory->getZExtValue() != kLocalFence;
}

bool has_global_fence(const RegionedKernel& kernel) {
  return llvm::any_of(kernel.regions, [](const Region& region) {
    return llvm::any_of(llvm::instructions(*region.function), is_global_fence);
  });
}

// Notes for each of the kernel's arguments what the runtime has to know about it.
void describe_uses(const RegionedKernel& kernel, const std::vector<CheckedAccess>& accesses,
                   const Granules& granules, KernelInfo& info) {
  info.checked = true;
  info.check_races = llvm::none_of(
      kernel.regions, [](const Region& region) { return uses_sub_groups(*region.function); });
  // With fences and atomic operations, groups may wait for each other.
  const bool has_order = info.gang || !info.check_races || has_global_fence(kernel);
  info.check_granule = has_order ? 0 : granules.global;
  info.check_local_granule = granules.local;
  info.check_uses.assign(kernel.original->arg_size(), '-');
  for (const CheckedAccess& access : accesses) {
    if (access.object.kind != CheckedObject::Kind::kArgument) continue;
    const unsigned index =
        llvm::cast<llvm::Argument>(access.object.value)->getArgNo() - kKernelArguments;
    char& use = info.check_uses[index];
    const bool reads = access.kind != abi::CheckedAccess::kWrite;
    const char now = !access.is_write() ? 'r' : reads ? 'b' : 'w';
    use = use == '-' || use == now ? now : 'b';
  }
}

void check_regions(RegionedKernel& kernel, KernelInfo& info) {
  std::vector<CheckedAccess> all;
  ObjectUses in_kernel;
  for (const Region& region : kernel.regions) {
    for (const CheckedAccess& access : find_accesses(*region.function)) {
      CheckedAccess copy = access;
      // The same argument of another region.
      if (auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(access.object.value))
        copy.object.value = kernel.regions[0].function->getArg(argument->getArgNo());
      all.push_back(copy);
      in_kernel.add(copy);
    }
  }
  const Granules granules = find_granules(all);
  describe_uses(kernel, all, granules, info);
  for (Region& region : kernel.regions) {
    ObjectUses uses = in_kernel;
    for (auto* set : {&uses.read, &uses.written})
      for (llvm::Argument& argument : kernel.regions[0].function->args())
        if (set->contains(&argument)) set->insert(region.function->getArg(argument.getArgNo()));
    RegionChecker checker(*region.function, kernel.name, granules, uses);
    checker.run();
    check_barriers(region, kernel.name, checker.values());
  }
}

}  // namespace

bool is_partial_read(const Instruction& instruction) {
  if (!instruction.getType()->isVectorTy()) return false;
  return llvm::all_of(instruction.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::InsertElementInst, llvm::ShuffleVectorInst>(user);
  });
}

llvm::PreservedAnalyses CheckRegions::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& analyses) {
  Program& program = program_of(module, analyses);
  for (auto&& [kernel, info] : llvm::zip_equal(program.kernels, program.infos))
    check_regions(kernel, info);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
