// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_extensions.h"

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr std::string_view kNoMeaning = "SPV_KHR_non_semantic_info";
constexpr std::string_view kHalfAdd = "SPV_EXT_shader_atomic_float16_add";
constexpr std::string_view kFloatAdd = "SPV_EXT_shader_atomic_float_add";

void replace(spirv::Instruction instruction, spirv::Words& words) {
  const uint32_t operation = spirv::operation_of(instruction);
  const std::string_view name =
      operation == spirv::kExtension ? spirv::text_at(instruction, 1) : std::string_view();
  if (name == kHalfAdd)
    append(spirv::kExtension, spirv::text_words(kFloatAdd), words);
  else if (operation == spirv::kCapability &&
           instruction.back() == spirv::kCapabilityAtomicFloat16Add)
    append(spirv::kCapability, {spirv::kCapabilityAtomicFloat32Add}, words);
  else if (name != kNoMeaning)
    append(instruction, words);
}

}  // namespace

std::string without_unknown_extensions(std::string_view module) {
  InstructionSets without_meaning("NonSemantic.");
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    if (!without_meaning.have(instruction)) replace(instruction, words);
  });
}

}  // namespace conclave::compiler
