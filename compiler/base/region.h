// SPDX-License-Identifier: Apache-2.0
// A kernel cut at its barriers, between the passes that form, vectorize and call the regions.
#ifndef CONCLAVE_COMPILER_BASE_REGION_H_
#define CONCLAVE_COMPILER_BASE_REGION_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instruction.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace conclave::compiler {

// The parameters that a region function has before those of the kernel. A region is executed for
// one work-item at a time; it returns the index of the region to go on with, or kKernelEnd.
enum RegionParameter : unsigned {
  kLaunch,       // ptr to abi::Launch
  kLocalMemory,  // ptr, abi::Workspace::local_memory
  kSpill,        // ptr, abi::Workspace::spill
  kCheck,        // ptr to abi::CheckUnit; null in code without checks
  kItems,        // i64, work-items of this group
  kItem,         // i64, linear local id
  kLocalId,      // i64 x 3
  kGroupId = kLocalId + 3,
  kLocalSize = kGroupId + 3,     // of this group
  kGlobalBase = kLocalSize + 3,  // global id of the group's first work-item
  kKernelArguments = kGlobalBase + 3,
};

inline constexpr int kKernelEnd = -1;

// A value that all work-items of a group have in common when a region begins.
struct UniformInput {
  llvm::Type* type;
  uint64_t offset;  // in the spill area, in units of one byte per work-item
  uint64_t alignment;
};

// The packet form for several rows of work-items at once.
struct TallForm {
  llvm::Function* function;
  unsigned rows;
};

struct Region {
  llvm::Function* function = nullptr;
  std::vector<UniformInput> inputs;  // what its last parameters are
  // Runs `lanes` work-items at once, whose local ids in `dimension` count up from the one that it
  // is given; null if there is no such form. All ids of the group must be below 2^31.
  llvm::Function* packet = nullptr;
  // Runs fewer than `lanes`, but at least one: those whose local id in `dimension` is below the
  // local size. Null if there is no such form.
  llvm::Function* remainder = nullptr;
  // The fewest work-items for which that is faster than one after the other.
  unsigned remainder_from = 1;
  // The same as `packet` for several rows of work-items at once, the one for most of them first.
  std::vector<TallForm> tall;
  unsigned lanes = 1, dimension = 0;
  // The kernel uses sub-groups: it runs in packets, each a sub-group, or one by one. Whether it
  // requires their size.
  bool has_sub_groups = false;
  bool has_required_lanes = false;
  // The kernel expects work-items to run in step (lockstep.h): packets whatever they cost.
  bool runs_in_step = false;
  // Work-items run few instructions (brief_work.h): the code for those that packets leave over is made with
  // little effort.
  bool has_brief_items = false;
  // In first builds: with the least.
  bool has_quick_rests = false;
  bool streams = false;         // some stores go past the caches (streaming_stores.h)
  std::vector<int> successors;  // what the function may return, each once

  // All functions that packets of work-items run.
  std::vector<llvm::Function*> packet_forms() const {
    std::vector<llvm::Function*> forms;
    for (llvm::Function* form : {packet, remainder})
      if (form) forms.push_back(form);
    for (const TallForm& form : tall) forms.push_back(form.function);
    return forms;
  }
};

// Private memory that a kernel keeps in the spill area across its barriers.
struct KeptMemory {
  std::string name;  // as far as it is known
  uint64_t bytes;    // per work-item
  std::string why;   // it has not become values
};

// Region 0 begins at the kernel's entry, region i > 0 behind the i-th barrier.
struct RegionedKernel {
  std::string name;
  llvm::Function* original = nullptr;  // the kernel in SPMD form: types and attributes of arguments
  std::vector<Region> regions;
  // The same in packets along another dimension, for launches with long rows there; may be empty.
  std::vector<Region> other_regions;
  uint64_t spill_bytes = 0;  // per work-item
  std::vector<KeptMemory> kept_memory;
  uint64_t local_bytes = 0;  // function-scope local variables
  // Its groups may be run together with those beside them (group_rows.h).
  bool joins_groups = false;
};

// A kernel in SPMD form, and a region function.
bool is_kernel(const llvm::Function& function);
bool is_region(const llvm::Function& function);

// Loads what abi::Launch has at `offset`, which does not change while the kernel runs, for code that
// `builder` makes in a region function.
llvm::LoadInst* load_from_launch(llvm::IRBuilderBase& builder, llvm::Type* type, uint64_t offset);
// The same for one of its facts, as an i1.
llvm::Value* is_fact(llvm::IRBuilderBase& builder, uint32_t fact);

// Whether an instruction of a region function is the global id in some dimension, as
// LowerWorkItemFunctions writes it.
bool is_global_id(const llvm::Instruction& instruction);

// The dimensions in the order in which work-items are counted where rows are in the first of them.
inline std::array<unsigned, 3> dimensions_from(unsigned first) {
  return {first, first == 0 ? 1u : 0u, first == 2 ? 1u : 2u};
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_REGION_H_
