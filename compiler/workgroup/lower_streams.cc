// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/lower_streams.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/base/error.h"

namespace conclave::compiler {
namespace {

constexpr char kStreamsNote[] = "conclave.streams";

// Our builtin for one of clang's pipe functions; "" for those that a stream does not have.
llvm::StringRef builtin_for(llvm::StringRef pipe_function) {
  return llvm::StringSwitch<llvm::StringRef>(pipe_function)
      .Case("__read_pipe_2", "conclave_stream_read")
      .Case("__write_pipe_2", "conclave_stream_write")
      .Case("__get_pipe_num_packets_ro", "conclave_stream_packets")
      .Case("__get_pipe_num_packets_wo", "conclave_stream_packets")
      .Case("__get_pipe_max_packets_ro", "conclave_stream_capacity")
      .Case("__get_pipe_max_packets_wo", "conclave_stream_capacity")
      .Default("");
}

// The alignment of a packet, which clang passes last, means nothing to a stream of bytes.
void replace_calls(llvm::Function& pipe_function, llvm::StringRef builtin) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : pipe_function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) calls.push_back(call);
  // Ends that are read and that are written have types of their own, until both are pointers.
  const bool is_write = pipe_function.getName().contains("write");
  const bool is_written_end = pipe_function.getName().ends_with("_wo");
  const std::string name = builtin.str() + (is_written_end && !is_write ? "_written" : "");
  for (llvm::CallInst* call : calls) {
    std::vector<llvm::Value*> arguments(call->arg_begin(), call->arg_end() - 1);
    std::vector<llvm::Type*> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    llvm::FunctionCallee callee = pipe_function.getParent()->getOrInsertFunction(
        name, llvm::FunctionType::get(call->getType(), types, false));
    llvm::CallInst* made = llvm::CallInst::Create(callee, arguments, "", call->getIterator());
    made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    made->setDebugLoc(call->getDebugLoc());
    llvm::cast<llvm::Function>(callee.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

}  // namespace

bool is_stream(const llvm::Type* type) {
  auto* opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  return opaque && opaque->getName() == "spirv.Pipe";
}

void make_pipes_streams(llvm::Module& module) {
  module.getOrInsertNamedMetadata(kStreamsNote);
}

bool are_pipes_streams(const llvm::Module& module) {
  return module.getNamedMetadata(kStreamsNote);
}

llvm::PreservedAnalyses LowerStreams::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty() || !function.getName().contains("pipe"))
      continue;
    if (function.arg_empty() || !is_stream(function.getArg(0)->getType())) continue;
    const llvm::StringRef builtin = builtin_for(function.getName());
    if (builtin.empty())
      throw BuildError("'" + function.getName().ltrim("_").str() +
                       "': a stream has one reader and one writer, and no reservations of packets");
    replace_calls(function, builtin);
    if (function.use_empty()) function.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
