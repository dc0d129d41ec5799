// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/group_rows.h"

#include "compiler/base/address_spaces.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

bool knows_groups(const llvm::Function& region) {
  for (unsigned parameter : {kLocalMemory + 0u, kSpill + 0u, kItems + 0u, kItem + 0u})
    if (!region.getArg(parameter)->use_empty()) return true;
  for (unsigned d = 0; d < 3; ++d) {
    if (!region.getArg(kGroupId + d)->use_empty()) return true;
    if (!region.getArg(kLocalSize + d)->use_empty()) return true;
    for (unsigned parameter : {kLocalId + d, kGlobalBase + d})
      for (const llvm::User* user : region.getArg(parameter)->users())
        if (!is_global_id(*llvm::cast<llvm::Instruction>(user))) return true;
  }
  return false;
}

bool has_local_arguments(const llvm::Function& kernel) {
  return llvm::any_of(kernel.args(), [](const llvm::Argument& argument) {
    auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
    return pointer && pointer->getAddressSpace() == kLocalAddressSpace;
  });
}

}  // namespace

bool is_indifferent_to_groups(const RegionedKernel& kernel) {
  return tuning().group_rows && kernel.regions.size() == 1 &&
         !has_local_arguments(*kernel.original) && !knows_groups(*kernel.regions[0].function);
}

}  // namespace conclave::compiler
