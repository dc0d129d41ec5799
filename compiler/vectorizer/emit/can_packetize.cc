// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/can_packetize.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

bool is_supported_type(llvm::Type* type) {
  if (type->isVoidTy() || type->isLabelTy() || type->isMetadataTy()) return true;
  auto scalars = scalar_types(type, tuning().value_parts);
  return scalars.size() <= tuning().value_parts && llvm::all_of(scalars, [](llvm::Type* scalar) {
           return llvm::VectorType::isValidElementType(scalar);
         });
}

}  // namespace

bool can_packetize(const llvm::Function& region, const Shapes& shapes, PartRemarks& remarks) {
  for (const BasicBlock& block : region) {
    const Instruction& end = *block.getTerminator();
    const bool ends_all = llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(end);
    const bool is_branch = llvm::isa<llvm::BranchInst, llvm::SwitchInst>(end);
    if (!ends_all && !(is_branch && shapes.has_uniform_operands(end)))
      return remarks.refuse("its control flow differs from work-item to work-item", &end);
    for (const Instruction& instruction : block) {
      if (shapes.stride(&instruction) || is_supported_type(instruction.getType())) continue;
      return remarks.refuse("it has values of a type that has no form for several work-items",
                            &instruction);
    }
  }
  return true;
}

}  // namespace conclave::compiler
