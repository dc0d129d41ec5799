// SPDX-License-Identifier: Apache-2.0
// clocl-opt: runs passes of the compiler on a file of LLVM IR, for developers and tests.
//
//   clocl-opt --passes='form-regions,function(lower-printf)' kernel.ll
//   clocl-opt --passes='canonicalize,linearize,packetize<lanes=8>' --print-after=linearize
//   region.ll
//
// The passes are those of compiler/passes.def and LLVM's own. The IR is verified after each of
// them. Afterwards the module is printed to standard output, and why passes of the vectorizer
// refused functions to standard error, which is no failure.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/base/error.h"
#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "compiler/opt/pass_registry.h"
#include "compiler/pipeline/middle_end_analyses.h"

namespace conclave::compiler {
namespace {

llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<file.ll>"),
                                 llvm::cl::init("-"));
llvm::cl::opt<std::string> pipeline("passes", llvm::cl::desc("Passes, as LLVM's opt takes them"));
llvm::cl::opt<std::string> cpu("cpu", llvm::cl::desc("The CPU that passes make code for"),
                               llvm::cl::init("x86-64"));
llvm::cl::opt<std::string> tune("tune", llvm::cl::desc("Other rules of thumb, as of tuning.def"));
llvm::cl::opt<bool> list("print-passes", llvm::cl::desc("List the compiler's own passes"));

int fail(const llvm::Twine& text) {
  llvm::errs() << "clocl-opt: error: " << text << "\n";
  return 1;
}

int print_passes() {
#define PASS(name, ...) llvm::outs() << name << "\n";
#define MODULE_PASS PASS
#define FUNCTION_PASS PASS
#define LOOP_PASS PASS
#include "compiler/passes.def"
#undef PASS
  return 0;
}

// A function with this attribute is the packet form of a kernel of its own, for passes on kernels
// that are cut into regions and have such forms.
constexpr char kPacketForm[] = "conclave-packet";

void find_packet_forms(llvm::Module& module, Program& program) {
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(kPacketForm)) continue;
    RegionedKernel& kernel = program.kernels.emplace_back();
    kernel.name = function.getName().str();
    kernel.regions.emplace_back().packet = &function;
  }
}

void print_refusals(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function& function : module) {
    const auto* result = analyses.getCachedResult<RemarksAnalysis>(function);
    if (result && !result->remarks->why_not.empty())
      llvm::errs() << "; " << function.getName() << ": " << result->remarks->why_not << "\n";
  }
}

int run_passes(llvm::Module& module) {
  const Target target(cpu);
  Program program;
  find_packet_forms(module, program);
  MiddleEndAnalyses analyses(module, program, &target);
  PassContext context(target);
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::StandardInstrumentations instrumentations(module.getContext(), /*DebugLogging=*/false,
                                                  /*VerifyEach=*/true);
  instrumentations.registerCallbacks(callbacks, &analyses.module);
  llvm::PassBuilder builder(&target.machine(), {}, {}, &callbacks);
  register_passes(builder, callbacks, context);
  analyses.add_all(builder);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    return fail(llvm::toString(std::move(error)));
  if (!*context.error) passes.run(module, analyses.module);
  if (*context.error) std::rethrow_exception(*context.error);
  print_refusals(module, analyses.function);
  llvm::outs() << module;
  return 0;
}

int run() {
  if (list) return print_passes();
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, error, context);
  if (!module) {
    error.print("clocl-opt", llvm::errs());
    return 1;
  }
  try {
    Tuning rules;
    if (!tune.empty()) rules.apply(tune.getValue());
    set_tuning(rules);
    return run_passes(*module);
  } catch (const BuildError& failure) {
    return fail(failure.what());
  }
}

}  // namespace
}  // namespace conclave::compiler

int main(int argc, char** argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "runs passes of the compiler on LLVM IR\n");
  return conclave::compiler::run();
}
