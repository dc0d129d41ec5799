// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/link.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "compiler/binary/binary_file.h"
#include "compiler/binary/metadata.h"

namespace conclave::compiler {
namespace {

using protocol::Action;

constexpr char kTriple[] = "spir64-unknown-unknown";

// Everything about an input that may be wrong is checked here.
std::unique_ptr<llvm::Module> read_input(llvm::LLVMContext& context, std::string_view file,
                                         ProgramInfo& info, NativeCode& native) {
  BinaryParts parts = read_binary(file);
  info = read_metadata(parts.metadata);
  if (!parts.native.empty()) native.add_archive(parts.native);
  llvm::StringRef bitcode(parts.bitcode.data(), parts.bitcode.size());
  // The bitcode reader wants aligned words, which a section of a foreign file need not be.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bitcode, "input");
  auto module = llvm::parseBitcodeFile(*buffer, context);
  if (!module) throw BinaryError("bitcode: " + llvm::toString(module.takeError()));
  if ((*module)->getTargetTriple() != kTriple)
    throw BinaryError("bitcode for another target: " + (*module)->getTargetTriple());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(**module, &stream)) throw BinaryError("invalid bitcode: " + problems);
  return std::move(*module);
}

// Sets what the options allow on every operation, as the front end would have done.
void relax_math(llvm::Module& module, const Options& options) {
  llvm::FastMathFlags flags;
  if (options.no_signed_zeros) flags.setNoSignedZeros();
  if (options.finite_math_only) {
    flags.setNoNaNs();
    flags.setNoInfs();
  }
  if (options.unsafe_math) {
    flags.setAllowReassoc();
    flags.setAllowReciprocal();
    flags.setAllowContract(true);
  }
  if (options.fast_relaxed_math) flags.setFast();
  for (llvm::Function& function : module) {
    if (options.denorms_are_zero && !function.isDeclaration())
      function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
    if (!flags.any()) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (llvm::isa<llvm::FPMathOperator>(instruction))
        instruction.setFastMathFlags(instruction.getFastMathFlags() | flags);
  }
}

// A library decides when it is created whether options of a later link apply to it.
bool takes_link_options(const ProgramInfo& info) {
  if (info.kind != ProgramKind::kLibrary) return true;
  for (const std::string& word : split_options(info.options))
    if (word == "-enable-link-options") return true;
  return false;
}

void check_kind(const ProgramInfo& info, Action action) {
  if (action == Action::kLink && info.kind == ProgramKind::kExecutable)
    throw BinaryError("an executable cannot be linked again");
  if (action == Action::kRebuild && info.kind == ProgramKind::kLibrary)
    throw BinaryError("a library is no program; link it first");
}

}  // namespace

std::unique_ptr<llvm::Module> link_inputs(llvm::LLVMContext& context,
                                          const protocol::Request& request, const Options& options,
                                          NativeCode& native,
                                          std::vector<std::string>& native_features,
                                          std::string& log) {
  if (request.inputs.empty()) throw BinaryError("there is no input");
  if (request.action == Action::kRebuild && request.inputs.size() != 1)
    throw BinaryError("exactly one binary can be built at a time");
  auto result = std::make_unique<llvm::Module>("program", context);
  result->setTargetTriple(kTriple);
  llvm::Linker linker(*result);
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    std::unique_ptr<llvm::Module> module;
    try {
      ProgramInfo info;
      module = read_input(context, request.inputs[i], info, native);
      llvm::append_range(native_features, info.native_features);
      check_kind(info, request.action);
      // To specialise a kernel is not to build its program anew: the results are to be the same.
      if (takes_link_options(info) && !options.specialization) relax_math(*module, options);
    } catch (const BinaryError& error) {
      throw BinaryError("input " + std::to_string(i) + ": " + error.what());
    }
    if (i == 0) result->setDataLayout(module->getDataLayout());
    // Errors of this call are reported through the context's diagnostics.
    if (linker.linkInModule(std::move(module))) {
      log += "error: input " + std::to_string(i) + ": linking failed\n";
      return nullptr;
    }
  }
  return result;
}

}  // namespace conclave::compiler
