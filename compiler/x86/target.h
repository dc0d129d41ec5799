// SPDX-License-Identifier: Apache-2.0
// The target CPU.
#ifndef CONCLAVE_COMPILER_X86_TARGET_H_
#define CONCLAVE_COMPILER_X86_TARGET_H_

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "compiler/base/target_model.h"

namespace conclave::compiler {

// The features by which LLVM makes no gathers and scatters although the CPU has them.
inline constexpr std::array kGatherRefusals = {"prefer-no-gather", "prefer-no-scatter"};

class Target {
 public:
  // `cpu` is LLVM's name of a CPU, or "" for the one this process runs on. Throws BuildError for a
  // name that LLVM does not know.
  explicit Target(const std::string& cpu);

  const std::string& cpu() const { return cpu_; }
  // Features that it has in addition, or lacks, by LLVM's names: "+avx2,-sse4a".
  const std::string& feature_text() const { return features_; }
  const TargetModel& model() const { return model_; }
  // `features` like "+avx2,+fma".
  bool has(const char* features) const;
  llvm::TargetMachine& machine() const { return *machine_; }
  std::unique_ptr<llvm::TargetMachine> make_machine(llvm::CodeGenOptLevel level) const;
  // The parts of the instruction set that the code may use, by LLVM's names, sorted, without tuning
  // flags.
  std::vector<std::string> features() const;

  // Gives the module the CPU's triple and data layout and its functions the CPU's features.
  void apply_to(llvm::Module& module) const;

 private:
  std::string cpu_;
  std::string features_;
  TargetModel model_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_TARGET_H_
