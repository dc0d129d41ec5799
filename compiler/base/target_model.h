// SPDX-License-Identifier: Apache-2.0
// What passes ask about the CPU that they make code for.
#ifndef CONCLAVE_COMPILER_TARGET_MODEL_H_
#define CONCLAVE_COMPILER_TARGET_MODEL_H_

#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>

#include "compiler/base/cache_sizes.h"

namespace llvm {
class MCSubtargetInfo;
}

namespace conclave::compiler {

// As it stands here: x86-64 as it was first made.
struct TargetModel {
  // These are the same for every x86-64, though CPUs could report another line.
  static constexpr int64_t kLineBytes = 64;     // of the caches
  static constexpr int64_t kSectionBytes = 16;  // of a vector register; shuffles within are cheap
  static constexpr unsigned kPointerBits = 64;

  unsigned vector_bits = 128;         // of a register
  unsigned vector_registers = 16;     // that code can name
  bool has_mask_registers = false;    // masks cost little; accesses of all types can have one
  bool has_fma = false;               // multiply and add in one operation
  bool has_half_conversions = false;  // between float and half
  bool has_half_arithmetic = false;
  bool has_register_tables = false;   // a vector's elements are looked up in a register
  bool counts_bits_by_table = false;  // such tables replace the missing instruction for vectors
  bool gathers_pay = false;           // they are faster than as many loads, scatters than stores
  // A launch that writes more than the last cache reads nothing of it back. These are the least
  // that CPUs with AVX2 have for a core, and the last cache of a usual server for each eight cores.
  CacheSizes caches = {.line = kLineBytes,
                       .first = uint64_t{32} << 10,
                       .second = uint64_t{256} << 10,
                       .last = uint64_t{32} << 20};
};

// `is_this_machine`: the code is for the CPU that this process runs on, whose caches count.
TargetModel model_of(const llvm::MCSubtargetInfo& cpu, bool is_this_machine);

// Prints the model as comments, for developers and tests.
struct PrintTargetModel : llvm::PassInfoMixin<PrintTargetModel> {
  llvm::raw_ostream& out;
  TargetModel model;

  PrintTargetModel(llvm::raw_ostream& stream, const TargetModel& target)
      : out(stream), model(target) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_TARGET_MODEL_H_
