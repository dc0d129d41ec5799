// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/code_budget.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/base/attributes.h"
#include "compiler/base/stack_bytes.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

// What counting asks.
struct Sources {
  const Target& target;
  llvm::FunctionAnalysisManager& analyses;
};

// What functions cost that are compiled once, however often they are called.
class CodeCost {
 public:
  explicit CodeCost(const Sources& sources) : sources_(sources) {}

  void add(llvm::Function& function) {
    llvm::SetVector<llvm::Function*> work;
    if (seen_.insert(&function)) work.insert(&function);
    for (size_t i = 0; i < work.size(); ++i) {
      const auto costs = sources_.target.machine().getTargetTransformInfo(*work[i]);
      const Copies copies = copies_in(*work[i]);
      for (llvm::BasicBlock& block : *work[i]) {
        const auto found = copies.find(&block);
        const uint64_t times = found == copies.end() ? 1 : found->second;
        for (llvm::Instruction& instruction : block) {
          total_ += times * cost(costs, instruction);
          auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
          if (callee && !callee->isDeclaration() && seen_.insert(callee)) work.insert(callee);
        }
      }
    }
  }
  uint64_t total() const { return total_; }

 private:
  // How many copies of a block there are going to be, where more than one.
  using Copies = llvm::DenseMap<const llvm::BasicBlock*, uint64_t>;

  static constexpr char kCount[] = "llvm.loop.unroll.count";
  static constexpr char kEnable[] = "llvm.loop.unroll.enable";
  static constexpr char kFull[] = "llvm.loop.unroll.full";
  static constexpr std::array<const char*, 3> kWishes = {kCount, kEnable, kFull};

  static uint64_t cost(const llvm::TargetTransformInfo& costs, llvm::Instruction& instruction) {
    const llvm::InstructionCost cost =
        costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_CodeSize);
    return cost.isValid() ? static_cast<uint64_t>(*cost.getValue()) : tuning().unknown_code_cost;
  }

  // Most loops say something of themselves, few how often they want to be unrolled.
  static bool has_wish(const llvm::BasicBlock& block) {
    llvm::MDNode* loop = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    return loop && llvm::any_of(kWishes, [&](const char* wish) {
             return llvm::findOptionMDForLoopID(loop, wish) != nullptr;
           });
  }

  // Loops that the program wants unrolled are unrolled long after code is counted.
  Copies copies_in(llvm::Function& function) {
    Copies copies;
    if (llvm::none_of(function, has_wish)) return copies;
    for (llvm::Loop* loop :
         sources_.analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
      if (const uint64_t times = copies_of(*loop); times > 1)
        for (const llvm::BasicBlock* block : loop->blocks())
          copies.try_emplace(block, 1).first->second *= times;
    sources_.analyses.clear(function, function.getName());  // the function may be erased
    return copies;
  }

  uint64_t copies_of(llvm::Loop& loop) {
    const uint64_t copies = wanted_copies_of(loop);
    if (copies == 1) return 1;
    uint64_t instructions = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
    constexpr uint64_t kMost = 16 * 1024;  // LLVM's pragma-unroll-threshold
    return copies * instructions < kMost ? copies : 1;
  }

  uint64_t wanted_copies_of(llvm::Loop& loop) {
    const auto count = llvm::getOptionalIntLoopAttribute(&loop, kCount);
    if (count && *count > 0) return static_cast<uint64_t>(*count);
    if (!llvm::getBooleanLoopAttribute(&loop, kEnable) &&
        !llvm::getBooleanLoopAttribute(&loop, kFull))
      return 1;
    auto& evolution =
        sources_.analyses.getResult<llvm::ScalarEvolutionAnalysis>(*loop.getHeader()->getParent());
    return std::max(evolution.getSmallConstantTripCount(&loop), 1u);
  }

  Sources sources_;
  llvm::SetVector<llvm::Function*> seen_;
  uint64_t total_ = 0;
};

template <class Visit>
void for_each_region(RegionedKernel& kernel, Visit visit) {
  for (auto* regions : {&kernel.regions, &kernel.other_regions})
    for (Region& region : *regions) visit(region);
}

uint64_t scalar_cost(RegionedKernel& kernel, const Sources& sources) {
  CodeCost cost(sources);
  for_each_region(kernel, [&](Region& region) { cost.add(*region.function); });
  return cost.total();
}

uint64_t full_cost(RegionedKernel& kernel, const Sources& sources) {
  CodeCost cost(sources);
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
void erase_packets(Region& region) {
  erase(region.packet);
  erase(region.remainder);
  region.lanes = 1;
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

// Packets of a region that may have to go.
struct Candidate {
  size_t kernel;  // index
  Region* region;
  uint64_t cost;
};

class Budget {
 public:
  Budget(Program& program, llvm::MutableArrayRef<KernelRemarks> remarks, const Sources& sources)
      : program_(program), remarks_(remarks), sources_(sources) {
    uint64_t scalar = 0;
    for (size_t i = 0; i < program.kernels.size(); ++i) {
      RegionedKernel& kernel = program.kernels[i];
      costs_.push_back({i, scalar_cost(kernel, sources), full_cost(kernel, sources)});
      scalar += costs_.back().scalar;
      full_ += costs_.back().full;
    }
    const double least = program.share * tuning().first_code_cost;
    budget_ = std::max(static_cast<uint64_t>(least), 2 * scalar);
    llvm::stable_sort(costs_, [](const Costs& a, const Costs& b) { return a.full > b.full; });
  }

  bool is_kept() const { return full_ <= budget_; }

  // Takes one kind of forms away from the kernels with the most code.
  void take_forms(void (*reduce)(RegionedKernel&)) {
    for (Costs& cost : costs_) {
      if (is_kept()) return;
      if (!may_lose(cost)) continue;
      RegionedKernel& kernel = program_.kernels[cost.kernel];
      const uint64_t stack = stack_of_packets(kernel);
      reduce(kernel);
      const uint64_t rest = full_cost(kernel, sources_);
      if (rest == cost.full) continue;
      full_ -= cost.full - rest;
      cost.full = rest;
      note_stack(cost.kernel, stack);
    }
  }

  // Takes packets away from the kernels with the most code. The regions with the least code keep
  // theirs, as many as fit: what is short is often what a loop around barriers runs most often.
  void take_packets() {
    if (is_kept()) return;
    CodeCost kept(sources_);
    std::vector<Candidate> candidates;
    for (const Costs& cost : costs_) {
      const bool loses = !is_kept() && may_lose(cost);
      if (loses) full_ -= cost.full - cost.scalar;
      for_each_region(program_.kernels[cost.kernel], [&](Region& region) {
        kept.add(*region.function);
        CodeCost own(sources_);
        for (llvm::Function* form : region.packet_forms()) (loses ? own : kept).add(*form);
        if (own.total()) candidates.push_back({cost.kernel, &region, own.total()});
      });
    }
    llvm::stable_sort(candidates,
                      [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    for (const Candidate& candidate : candidates) {
      for (llvm::Function* form : candidate.region->packet_forms()) kept.add(*form);
      if (kept.total() > budget_) take_packets_of(candidate);
    }
    for (RegionedKernel& kernel : program_.kernels)
      if (llvm::all_of(kernel.other_regions, has_no_packets)) kernel.other_regions.clear();
  }

 private:
  bool may_lose(const Costs& cost) const {
    const Region& first = program_.kernels[cost.kernel].regions[0];
    return !first.has_sub_groups && !first.runs_in_step && cost.full > 2 * cost.scalar;
  }

  void note_stack(size_t kernel, uint64_t stack) {
    KernelInfo& info = program_.infos[kernel];
    info.private_bytes = std::max(info.private_bytes, stack);
  }

  static bool has_no_packets(const Region& region) { return region.packet_forms().empty(); }

  void take_packets_of(const Candidate& candidate) {
    RegionedKernel& kernel = program_.kernels[candidate.kernel];
    StackBytes stack;
    for (llvm::Function* form : candidate.region->packet_forms())
      note_stack(candidate.kernel, stack.of(*form));
    erase_packets(*candidate.region);
    kernel.original->addFnAttr(kForNow);
    // Remarks are about the packets along the dimension that suits the kernel.
    const auto& described = kernel.other_regions.empty() ? kernel.regions : kernel.other_regions;
    for (size_t i = 0; i < described.size(); ++i)
      if (&described[i] == candidate.region)
        remarks_[candidate.kernel].parts[i].refuse(
            "its packets are too much code for a first build; they come in the background");
  }

  Program& program_;
  llvm::MutableArrayRef<KernelRemarks> remarks_;
  Sources sources_;
  std::vector<Costs> costs_;  // those with the most code first
  uint64_t full_ = 0, budget_;
};

}  // namespace

void keep_to_budget(Program& program, llvm::MutableArrayRef<KernelRemarks> remarks,
                    const Target& target, llvm::FunctionAnalysisManager& analyses) {
  Budget budget(program, remarks, {target, analyses});
  for (const auto reduce : {erase_tall_forms, erase_remainders}) budget.take_forms(reduce);
  budget.take_packets();
}

}  // namespace conclave::compiler
