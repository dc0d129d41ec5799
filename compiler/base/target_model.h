// SPDX-License-Identifier: Apache-2.0
// What passes ask about the CPU that they make code for.
#ifndef CONCLAVE_COMPILER_TARGET_MODEL_H_
#define CONCLAVE_COMPILER_TARGET_MODEL_H_

#include <cstdint>

namespace llvm {
class MCSubtargetInfo;
}

namespace conclave::compiler {

// As it stands here: x86-64 as it was first made.
struct TargetModel {
  // These are the same for every x86-64.
  static constexpr int64_t kLineBytes = 64;     // of the caches
  static constexpr int64_t kSectionBytes = 16;  // of a vector register; shuffles within are cheap

  unsigned vector_bits = 128;         // of a register
  unsigned vector_registers = 16;     // that code can name
  bool has_mask_registers = false;    // masks cost little; accesses of all types can have one
  bool has_fma = false;               // multiply and add in one operation
  bool has_half_conversions = false;  // between float and half
  bool has_register_tables = false;   // a vector's elements are looked up in a register
  bool counts_bits_by_table = false;  // such tables replace the missing instruction for vectors
  bool gathers_pay = false;           // they are faster than as many loads, scatters than stores
  // A launch that writes more than the last cache reads nothing of it back. This is the size that a
  // usual server has for each eight cores.
  uint64_t last_cache_bytes = uint64_t{32} << 20;
};

// `is_this_machine`: the code is for the CPU that this process runs on, whose cache counts.
TargetModel model_of(const llvm::MCSubtargetInfo& cpu, bool is_this_machine);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_TARGET_MODEL_H_
