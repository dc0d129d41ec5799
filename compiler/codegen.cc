// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>

#include "compiler/code_size.h"
#include "compiler/cpu_pipeline.h"
#include "compiler/error.h"
#include "compiler/passes/address_spaces.h"
#include "compiler/passes/unroll_barrier_loops.h"
#include "compiler/vectorizer/wide_masks.h"
#include "conclave/code_features.h"

namespace conclave::compiler {
namespace {

constexpr char kTriple[] = "x86_64-unknown-linux-gnu";

std::string host_features() {
  std::string text;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (!text.empty()) text += ",";
    text += (feature.second ? "+" : "-") + feature.first().str();
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

// The analysis managers that every run of the new pass manager needs, in the order of destruction.
struct Analyses {
  llvm::LoopAnalysisManager loop;
  llvm::FunctionAnalysisManager function;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager module;

  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(module);
    builder.registerCGSCCAnalyses(call_graph);
    builder.registerFunctionAnalyses(function);
    builder.registerLoopAnalyses(loop);
    builder.crossRegisterProxies(loop, function, call_graph, module);
  }
};

}  // namespace

Target::Target(const std::string& cpu, bool optimize) : cpu_(cpu) {
  initialize_target_once();
  if (cpu_.empty()) {
    cpu_ = llvm::sys::getHostCPUName().str();
    features_ = host_features();
  }
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (!target) throw BuildError(error);
  // A target machine for an unknown CPU complains to stderr and takes another one.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(target->createMCSubtargetInfo(kTriple, "", ""));
  if (!generic || !generic->isCPUStringValid(cpu_))
    throw BuildError("unknown target CPU '" + cpu_ + "'");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // Where a kernel's behaviour is undefined it stops instead of running into other code.
  options.TrapUnreachable = true;
  machine_.reset(target->createTargetMachine(
      kTriple, cpu_, features_, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimize ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None));
  if (!machine_) throw BuildError("no code generator for '" + cpu_ + "'");
}

bool Target::has(const char* features) const {
  return machine_->getMCSubtargetInfo()->checkFeatures(features);
}

std::vector<std::string> Target::features() const {
  std::vector<std::string> names;
  for (const char* feature : kCodeFeatures)
    if (has((std::string("+") + feature).c_str())) names.push_back(feature);
  return names;
}

void Target::apply_to(llvm::Module& module) const {
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine_->createDataLayout());
  bool wide = has("+avx512f");
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", cpu_);
    if (!features_.empty()) function.addFnAttr("target-features", features_);
    // LLVM's default for many CPUs is 256 for fear of lower clocks; whole-kernel loops gain more
    // from the width than they lose.
    if (wide) function.addFnAttr("prefer-vector-width", "512");
  }
}

namespace {

// What simplifies code of the virtual target.
class Simplifier {
 public:
  explicit Simplifier(const llvm::Module& module)
      : analyses_(builder_), no_library_(llvm::Triple(module.getTargetTriple())) {
    // OpenCL C has no C library; a function of the program is what it says and nothing else.
    no_library_.disableAllFunctions();
    analyses_.function.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library_); });
    passes_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes_.addPass(llvm::InferAddressSpacesPass(kGenericAddressSpace));
    passes_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes_.addPass(llvm::SimplifyCFGPass());
    passes_.addPass(llvm::InstCombinePass());
    passes_.addPass(llvm::SimplifyCFGPass());
  }

  void run(llvm::Module& module) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes_)));
    passes.run(module, analyses_.module);
  }
  void run(llvm::Function& function) { passes_.run(function, analyses_.function); }

  // Unrolls loops with barriers, and simplifies again.
  void unroll(llvm::Function& kernel) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.run(kernel, analyses_.function);
    const llvm::PreservedAnalyses kept = UnrollBarrierLoops().run(kernel, analyses_.function);
    analyses_.function.invalidate(kernel, kept);
    if (!kept.areAllPreserved()) run(kernel);
  }

 private:
  llvm::PassBuilder builder_;
  Analyses analyses_;
  llvm::TargetLibraryInfoImpl no_library_;
  llvm::FunctionPassManager passes_;
};

}  // namespace

void simplify_kernels(llvm::Module& module, bool optimize) {
  if (optimize) Simplifier(module).run(module);
}

void unroll_barrier_loops(llvm::Function& kernel) {
  Simplifier(*kernel.getParent()).unroll(kernel);
}

void simplify_function(llvm::Function& function) {
  Simplifier(*function.getParent()).run(function);
}

void scalarize_function(llvm::Function& function) {
  llvm::PassBuilder builder;
  Analyses analyses(builder);
  llvm::ScalarizerPass().run(function, analyses.function);
}

void optimize_for_cpu(llvm::Module& module, const Target& target, bool optimize) {
  llvm::PassBuilder builder(&target.machine());
  Analyses analyses(builder);
  auto run = [&](llvm::ModulePassManager passes) { passes.run(module, analyses.module); };
  if (!optimize) return run(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0));
  run(make_joining_passes());
  if (!is_huge(module)) return run(make_cpu_pipeline());
  target.machine().setOptLevel(llvm::CodeGenOptLevel::None);
  run(make_quick_pipeline());
}

std::string generate_code(llvm::Module& module, const Target& target, bool assembly) {
  if (!target.has("+avx512f"))
    for (llvm::Function& function : module) widen_lane_masks(function);
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (target.machine().addPassesToEmitFile(passes, stream, nullptr, type))
    throw BuildError("the code generator cannot write this kind of file");
  passes.run(module);
  return std::string(code);
}

}  // namespace conclave::compiler
