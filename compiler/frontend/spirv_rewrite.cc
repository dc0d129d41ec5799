// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr uint32_t kMostComponents = 16;

}  // namespace

bool InstructionSets::have(spirv::Instruction instruction) {
  const uint32_t operation = spirv::operation_of(instruction);
  if (operation == spirv::kExtInstImport && spirv::text_at(instruction, 2).starts_with(beginning_))
    return sets_.insert(instruction[1]).second;
  return operation == spirv::kExtInst && instruction.size() > 3 && sets_.contains(instruction[3]);
}

// Names and decorations, whose words mean other things, come before all types. After those, an
// instruction whose first word is a vector's type has a result of it.
void VectorValues::note(spirv::Instruction instruction) {
  if (instruction.size() < 3) return;
  if (spirv::operation_of(instruction) == spirv::kTypeVector) {
    if (instruction.size() > 3 && instruction[3] <= kMostComponents)
      types_[instruction[1]] = {instruction[1], instruction[2], instruction[3]};
  } else if (const Vector* vector = type(instruction[1])) {
    values_[instruction[2]] = *vector;
  }
}

}  // namespace conclave::compiler
