// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/target_model.h"

#include <llvm/MC/MCSubtargetInfo.h>

#include "conclave/cache_sizes.h"

namespace conclave::compiler {

TargetModel model_of(const llvm::MCSubtargetInfo& cpu, bool is_this_machine) {
  const auto has = [&](const char* features) { return cpu.checkFeatures(features); };
  TargetModel model;
  model.has_mask_registers = has("+avx512f");
  model.vector_bits = model.has_mask_registers ? 512 : has("+avx2") ? 256 : 128;
  model.vector_registers = model.has_mask_registers ? 32 : 16;
  model.has_fma = has("+fma");
  model.has_half_conversions = has("+f16c");
  model.has_register_tables = has("+avx2,+fma");
  model.counts_bits_by_table = has("+avx2") && !model.has_mask_registers;
  // LLVM's table of CPUs tells it of each family. AMD's gathers are microcode, and take longer than
  // loads one by one.
  model.gathers_pay = has("+fast-gather");
  if (const uint64_t bytes = is_this_machine ? last_cache_bytes() : 0; bytes != 0)
    model.last_cache_bytes = bytes;
  return model;
}

}  // namespace conclave::compiler
