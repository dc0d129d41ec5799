// SPDX-License-Identifier: Apache-2.0
// Build tool: links modules of the builtins library, and takes out what would cost loading time or be
// carried into kernels for no use: names, attributes and metadata about the library's own compilation.
//
//   link_builtins [--not-convergent] OUTPUT.bc INPUT.bc...
//
// --not-convergent also takes out `convergent`, which clang gives to every OpenCL function that it
// cannot see through and which hinders the optimiser. It is for functions whose results do not depend
// on who else executes them.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace conclave::compiler {
namespace {

// Null, and the reason on standard error, where something cannot be read or linked.
std::unique_ptr<llvm::Module> link(llvm::LLVMContext& context, llvm::ArrayRef<char*> inputs) {
  auto whole = std::make_unique<llvm::Module>("", context);
  llvm::Linker linker(*whole);
  for (const char* input : inputs) {
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, problem, context);
    if (!module) {
      problem.print("link_builtins", llvm::errs());
      return nullptr;
    }
    if (linker.linkInModule(std::move(module))) return nullptr;  // the context has told why
  }
  return whole;
}

void remove_metadata(llvm::Module& module) {
  std::vector<llvm::NamedMDNode*> useless;
  for (llvm::NamedMDNode& node : module.named_metadata())
    if (node.getName().starts_with("opencl.") || node.getName() == "llvm.ident" ||
        node.getName() == "llvm.module.flags")
      useless.push_back(&node);
  for (llvm::NamedMDNode* node : useless) module.eraseNamedMetadata(node);
}

void remove_attributes(llvm::Function& function, const llvm::AttributeMask& useless) {
  function.removeFnAttrs(useless);
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) call->removeFnAttrs(useless);
}

void strip(llvm::Module& module, bool is_convergent) {
  remove_metadata(module);
  llvm::AttributeMask useless;
  for (const char* name : {"frame-pointer", "stack-protector-buffer-size", "no-trapping-math"})
    useless.addAttribute(name);
  if (!is_convergent) useless.addAttribute(llvm::Attribute::Convergent);
  for (llvm::Function& function : module) remove_attributes(function, useless);
  for (llvm::GlobalValue& global : module.global_values()) {
    if (!global.isImplicitDSOLocal()) global.setDSOLocal(false);
    if (global.getUnnamedAddr() == llvm::GlobalValue::UnnamedAddr::Local)
      global.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
  }
}

int run(const char* output, llvm::ArrayRef<char*> inputs, bool is_convergent) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = link(context, inputs);
  if (!module) return 1;
  strip(*module, is_convergent);
  std::error_code error;
  llvm::raw_fd_ostream file(output, error);
  if (!error) llvm::WriteBitcodeToFile(*module, file);
  file.flush();
  if (!error) error = file.error();
  if (error) std::fprintf(stderr, "link_builtins: %s: %s\n", output, error.message().c_str());
  return error ? 1 : 0;
}

}  // namespace
}  // namespace conclave::compiler

int main(int argc, char** argv) {
  llvm::ArrayRef<char*> words(argv + 1, static_cast<size_t>(argc - 1));
  const bool is_convergent = words.empty() || std::strcmp(words[0], "--not-convergent") != 0;
  if (!is_convergent) words = words.drop_front();
  if (words.size() < 2) {
    std::fputs("usage: link_builtins [--not-convergent] OUTPUT.bc INPUT.bc...\n", stderr);
    return 2;
  }
  return conclave::compiler::run(words[0], words.drop_front(), is_convergent);
}
