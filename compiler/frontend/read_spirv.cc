// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/read_spirv.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstdint>
#include <cstring>

#include "compiler/base/error.h"
#include "compiler/frontend/opaque_types.h"
#include "compiler/frontend/spirv_clock.h"
#include "compiler/frontend/spirv_composites.h"
#include "compiler/frontend/spirv_extensions.h"
#include "compiler/frontend/spirv_hints.h"
#include "compiler/frontend/spirv_modes.h"
#include "compiler/frontend/spirv_pointers.h"
#include "compiler/frontend/spirv_shuffles.h"
#include "compiler/frontend/spirv_zeros.h"
#include "compiler/frontend/tool.h"
#include "conclave/spirv_format.h"

namespace conclave::compiler {
namespace {

// By the rules of SPIR-V alone: the validator's rules for OpenCL know no version after 1.2, and
// none of its extensions, such as atomics of 64 bits.
void validate(const MemoryFile& module) {
  const Tool validator("spirv-val", "spirv-tools");
  validator.run({"--target-env", "spv1.6", module.path()}, "/dev/null", "accept the module");
}

// The module without what the translator stops at.
std::string translatable(const std::string& module) {
  const std::string even = with_even_shuffles(with_zeros_for_nulls(with_plain_modes(module)));
  return without_unknown_extensions(with_simple_pointers(with_simple_composites(even)));
}

// The translator names builtins as OpenCL C 2.0 does, whose names all later versions have.
MemoryFile translate(const MemoryFile& module) {
  const Tool translator("llvm-spirv-15", "llvm-spirv-15");
  return translator.run({"-r", "--spirv-target-env=CL2.0", "--spirv-gen-kernel-arg-name-md", "-o",
                         "-", module.path()},
                        "/dev/null", "translate the module");
}

// The layout that the front end for OpenCL C gives its modules. The translator's says the same,
// with repetitions.
constexpr char kLayout[] =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

// What other modules may define too (SPV_KHR_linkonce_odr) is there for those that do not, although
// nothing in this one uses it.
void keep_shared_definitions(llvm::Module& module) {
  for (llvm::GlobalValue& value : module.global_values())
    if (value.hasLinkOnceODRLinkage()) value.setLinkage(llvm::GlobalValue::WeakODRLinkage);
}

}  // namespace

bool is_spirv(std::string_view source) {
  uint32_t word = 0;
  if (source.size() < sizeof word) return false;
  std::memcpy(&word, source.data(), sizeof word);
  return word == spirv::kMagic;
}

std::unique_ptr<llvm::Module> read_spirv(llvm::LLVMContext& context, std::string_view spirv) {
  const std::string plain = with_clock_calls(without_hints(spirv));
  validate(MemoryFile(without_debug_info(plain)));
  const std::string bitcode = translate(MemoryFile(translatable(plain))).content();
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "program.spv"), context);
  if (!module)
    throw BuildError("llvm-spirv-15 made no bitcode of the module: " +
                     llvm::toString(module.takeError()));
  (*module)->setDataLayout(kLayout);
  (*module)->setPICLevel(llvm::PICLevel::BigPIC);
  keep_shared_definitions(**module);
  restore_opaque_types(**module);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(**module, &stream))
    throw BuildError("the module translated from SPIR-V is wrong: " + text);
  return std::move(*module);
}

}  // namespace conclave::compiler
