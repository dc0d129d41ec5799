// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/target_model.h"

#include <llvm/MC/MCSubtargetInfo.h>

namespace conclave::compiler {

TargetModel model_of(const llvm::MCSubtargetInfo& cpu, bool is_this_machine) {
  const auto has = [&](const char* features) { return cpu.checkFeatures(features); };
  TargetModel model;
  model.has_mask_registers = has("+avx512f");
  model.vector_bits = model.has_mask_registers ? 512 : has("+avx2") ? 256 : 128;
  model.vector_registers = model.has_mask_registers ? 32 : 16;
  model.has_fma = has("+fma");
  model.has_half_conversions = has("+f16c");
  model.has_half_arithmetic = has("+avx512fp16");
  model.has_register_tables = has("+avx2,+fma");
  model.counts_bits_by_table = has("+avx2") && !model.has_mask_registers;
  // LLVM's table of CPUs tells it of each family. AMD's gathers are microcode, and take longer than
  // loads one by one.
  model.gathers_pay = has("+fast-gather");
  if (!is_this_machine) return model;
  const CacheSizes reported = reported_cache_sizes();
  if (reported.first != 0) model.caches.first = reported.first;
  if (reported.second != 0) model.caches.second = reported.second;
  if (reported.last != 0) model.caches.last = reported.last;
  return model;
}

llvm::PreservedAnalyses PrintTargetModel::run(llvm::Module&, llvm::ModuleAnalysisManager&) const {
  const CacheSizes& caches = model.caches;
  out << "; registers: " << model.vector_registers << " of " << model.vector_bits << " bits\n"
      << "; caches: " << (caches.first >> 10) << " KiB, " << (caches.second >> 10) << " KiB, "
      << (caches.last >> 10) << " KiB, lines of " << caches.line << " bytes\n";
  const auto print = [&](const char* name, bool value) {
    out << "; " << name << ": " << (value ? "yes" : "no") << "\n";
  };
  print("mask registers", model.has_mask_registers);
  print("fma", model.has_fma);
  print("half conversions", model.has_half_conversions);
  print("half arithmetic", model.has_half_arithmetic);
  print("register tables", model.has_register_tables);
  print("counts bits by table", model.counts_bits_by_table);
  print("gathers pay", model.gathers_pay);
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
