// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/target.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <cstring>

#include "compiler/base/error.h"
#include "compiler/base/tuning.h"
#include "conclave/code_features.h"

namespace conclave::compiler {
namespace {

constexpr char kTriple[] = "x86_64-unknown-linux-gnu";

void add(const std::string& feature, std::string& list) {
  if (!list.empty()) list += ",";
  list += feature;
}

// Without AVX10's names: of a CPU with AVX-512 they say nothing that AVX-512's do not, and clang
// warns of such a pair, which -Werror would make an error.
std::string host_features() {
  std::string text;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.first().starts_with("avx10.")) continue;
    add((feature.second ? "+" : "-") + feature.first().str(), text);
  }
  return text;
}

void initialize_target_once() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    return true;
  }();
  (void)done;
}

const llvm::Target& find_target() {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (!target) throw BuildError(error);
  return *target;
}

}  // namespace

Target::Target(const std::string& cpu) : cpu_(cpu) {
  initialize_target_once();
  if (cpu_.empty()) {
    cpu_ = llvm::sys::getHostCPUName().str();
    features_ = host_features();
  }
  if (tuning().vector_bits < 512) add("-avx512f", features_);
  if (tuning().vector_bits < 256) add("-avx", features_);
  // A target machine for an unknown CPU complains to stderr and takes another one.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(
      find_target().createMCSubtargetInfo(kTriple, "", ""));
  if (!generic || !generic->isCPUStringValid(cpu_))
    throw BuildError("unknown target CPU '" + cpu_ + "'");
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      find_target().createMCSubtargetInfo(kTriple, cpu_, features_));
  model_ = model_of(*known, /*is_this_machine=*/cpu.empty());
  // LLVM takes those of AVX-512 for fast on any CPU.
  if (model_.vector_bits == 512 && !model_.gathers_pay && tuning().own_gathers)
    for (const char* refusal : kGatherRefusals) add(std::string("+") + refusal, features_);
  // At this level short blocks are repeated where that saves a jump. Loops with branches that are predicted well
  // were seen to take half the time.
  machine_ = make_machine(llvm::CodeGenOptLevel::Aggressive);
}

std::unique_ptr<llvm::TargetMachine> Target::make_machine(llvm::CodeGenOptLevel level) const {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // Where a kernel's behaviour is undefined it stops instead of running into other code.
  options.TrapUnreachable = true;
  std::unique_ptr<llvm::TargetMachine> machine(find_target().createTargetMachine(
      kTriple, cpu_, features_, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!machine) throw BuildError("no code generator for '" + cpu_ + "'");
  return machine;
}

bool Target::has(const char* features) const {
  return machine_->getMCSubtargetInfo()->checkFeatures(features);
}

std::vector<std::string> Target::features() const {
  std::vector<std::string> names;
  const llvm::MCSubtargetInfo& cpu = *machine_->getMCSubtargetInfo();
  for (const llvm::SubtargetFeatureKV& feature : cpu.getAllProcessorFeatures()) {
    const auto is_it = [&](const char* name) { return std::strcmp(name, feature.Key) == 0; };
    if (cpu.getFeatureBits().test(feature.Value) && llvm::any_of(kCodeFeatures, is_it))
      names.push_back(feature.Key);
  }
  return names;
}

void Target::apply_to(llvm::Module& module) const {
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine_->createDataLayout());
  const bool wide = model_.vector_bits == 512;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", cpu_);
    if (!features_.empty()) function.addFnAttr("target-features", features_);
    // LLVM's default for many CPUs is 256 for fear of lower clocks; whole-kernel loops gain more
    // from the width than they lose.
    if (wide) function.addFnAttr("prefer-vector-width", "512");
  }
}

}  // namespace conclave::compiler
