// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/codegen.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/base/analyses.h"
#include "compiler/base/attributes.h"
#include "compiler/base/error.h"
#include "compiler/base/tuning.h"
#include "compiler/codegen/bounded_codegen.h"
#include "compiler/codegen/code_size.h"
#include "compiler/codegen/kept_calls.h"
#include "compiler/x86/cleared_masks.h"
#include "compiler/x86/vector_math.h"

namespace conclave::compiler {
namespace {

// LLVM would end the process. What it has not cleaned up stays until the build's process ends. The
// lines that follow the first one describe its graph of instructions.
[[noreturn]] void give_up(void*, const char* reason, bool) {
  const auto [first, rest] = llvm::StringRef(reason).split('\n');
  throw GeneratorError("LLVM cannot generate the code: " + first.str());
}

// The code generator leaves out most of its passes for such functions, and looks at one instruction
// at a time.
void spend_little_on_quick_code(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(kQuickCode) &&
        function.hasFnAttribute(llvm::Attribute::NoInline)) {
      function.removeFnAttr(llvm::Attribute::OptimizeForSize);
      function.removeFnAttr(llvm::Attribute::MinSize);
      function.addFnAttr(llvm::Attribute::OptimizeNone);
    }
}

// What LLVMTargetMachine::addPassesToEmitFile() does, with a pass of our own.
void add_code_generator(llvm::TargetMachine& machine, llvm::legacy::PassManager& passes,
                        llvm::raw_pwrite_stream& stream, llvm::CodeGenFileType type) {
  auto& generator = static_cast<llvm::LLVMTargetMachine&>(machine);
  auto* module_info = new llvm::MachineModuleInfoWrapperPass(&generator);
  llvm::TargetPassConfig* parts = generator.createPassConfig(passes);
  parts->setDisableVerify(true);
  parts->insertPass(&llvm::FinalizeISelID, make_clear_masks());
  passes.add(parts);
  passes.add(module_info);
  bool fails = parts->addISelPasses();
  if (!fails) {
    parts->addMachinePasses();
    parts->setInitialized();
    fails =
        generator.addAsmPrinter(passes, stream, nullptr, type, module_info->getMMI().getContext());
  }
  if (fails) throw BuildError("the code generator cannot write this kind of file");
  passes.add(llvm::createFreeMachineFunctionPass());
}

}  // namespace

void retarget(llvm::Module& module, const Target& target) {
  target.apply_to(module);
  llvm::ModuleAnalysisManager analyses;
  AddVectorMath(target).run(module, analyses);
}

llvm::CodeGenOptLevel optimize_for_cpu(llvm::Module& module, const Target& target, Effort effort) {
  Analyses analyses;
  llvm::PassBuilder builder(&target.machine(), {}, {}, analyses.instrumentation());
  analyses.add_all(builder);
  auto run = [&](llvm::ModulePassManager passes) { passes.run(module, analyses.module); };
  if (effort == Effort::kNone) {
    run(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0));
    return llvm::CodeGenOptLevel::None;
  }
  run(make_joining_passes());
  if (effort == Effort::kMost && inlined_size(module) > tuning().most_effort_instructions)
    effort = Effort::kUsual;
  if (effort != Effort::kMost) KeepRepeatedCalls::run(module, analyses.module);
  if (is_huge(module)) {
    run(make_quick_pipeline());
    return llvm::CodeGenOptLevel::None;
  }
  run(make_cpu_pipeline(effort));
  return target.machine().getOptLevel();
}

std::string generate_code(llvm::Module& module, const Target& target, llvm::CodeGenOptLevel level,
                          Effort effort, llvm::CodeGenFileType type) {
  Analyses analyses;
  llvm::PassBuilder builder(&target.machine(), {}, {}, analyses.instrumentation());
  analyses.add_all(builder);
  if (bool has_broken_lines = false; llvm::verifyModule(module, nullptr, &has_broken_lines))
    throw GeneratorError("LLVM's optimiser has made invalid code");
  make_last_passes(target).run(module, analyses.module);
  spend_little_on_quick_code(module);
  bound_code_generator(module, effort);
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  std::unique_ptr<llvm::TargetMachine> other;
  if (level != target.machine().getOptLevel()) other = target.make_machine(level);
  llvm::TargetMachine& machine = other ? *other : target.machine();
  add_code_generator(machine, passes, stream, type);
  const llvm::ScopedFatalErrorHandler handler(give_up);
  passes.run(module);
  return std::string(code);
}

}  // namespace conclave::compiler
