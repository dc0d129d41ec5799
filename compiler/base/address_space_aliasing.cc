// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/address_space_aliasing.h"

#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>

#include "compiler/base/address_spaces.h"

namespace conclave::compiler {
namespace {

// The memory that a pointer leads into; constant buffers are global memory.
unsigned memory_of(const llvm::MemoryLocation& location) {
  const unsigned space = location.Ptr->getType()->getPointerAddressSpace();
  return space == kConstantAddressSpace ? kGlobalAddressSpace : space;
}

bool is_one_memory(unsigned space) {
  return space == kPrivateAddressSpace || space == kGlobalAddressSpace ||
         space == kLocalAddressSpace;
}

}  // namespace

llvm::AnalysisKey AddressSpaceAliasing::Key;

llvm::AliasResult AddressSpaceAliases::alias(const llvm::MemoryLocation& a,
                                             const llvm::MemoryLocation& b, llvm::AAQueryInfo&,
                                             const llvm::Instruction*) {
  const unsigned first = memory_of(a);
  const unsigned second = memory_of(b);
  return first != second && is_one_memory(first) && is_one_memory(second)
             ? llvm::AliasResult::NoAlias
             : llvm::AliasResult::MayAlias;
}

llvm::AAManager make_alias_analyses() {
  llvm::AAManager analyses;
  analyses.registerFunctionAnalysis<AddressSpaceAliasing>();
  analyses.registerFunctionAnalysis<llvm::BasicAA>();
  analyses.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
  analyses.registerFunctionAnalysis<llvm::TypeBasedAA>();
  return analyses;
}

}  // namespace conclave::compiler
