// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/lower_streams.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/base/error.h"

namespace conclave::compiler {
namespace {

constexpr char kStreamsNote[] = "conclave.streams";
constexpr char kIsValid[] = "_Z19is_valid_reserve_id13ocl_reserveid";

// Our builtin for one of clang's pipe functions, and how many of the last arguments it does without:
// the alignment of a packet, where it does not move one also its size. A null name: there is none.
struct Builtin {
  const char* name = nullptr;
  unsigned dropped = 1;
  int reservation = kNoReservation;  // the argument that is one

  static constexpr int kNoReservation = -1, kResult = -2;
};
constexpr int kResult = Builtin::kResult;

Builtin stream_builtin(llvm::StringRef pipe_function) {
  return llvm::StringSwitch<Builtin>(pipe_function)
      .Case("__read_pipe_2", {"conclave_stream_read"})
      .Case("__write_pipe_2", {"conclave_stream_write"})
      .Case("__get_pipe_num_packets_ro", {"conclave_stream_packets"})
      .Case("__get_pipe_num_packets_wo", {"conclave_stream_packets"})
      .Case("__get_pipe_max_packets_ro", {"conclave_stream_capacity"})
      .Case("__get_pipe_max_packets_wo", {"conclave_stream_capacity"})
      .Default({});
}

Builtin pipe_builtin(llvm::StringRef pipe_function) {
  return llvm::StringSwitch<Builtin>(pipe_function)
      .Case("__read_pipe_2", {"conclave_pipe_read"})
      .Case("__write_pipe_2", {"conclave_pipe_write"})
      .Case("__read_pipe_4", {"conclave_pipe_read_reserved", 1, 1})
      .Case("__write_pipe_4", {"conclave_pipe_write_reserved", 1, 1})
      .Case("__reserve_read_pipe", {"conclave_pipe_reserve_read", 2, kResult})
      .Case("__reserve_write_pipe", {"conclave_pipe_reserve_write", 2, kResult})
      .Case("__commit_read_pipe", {"conclave_pipe_commit_read", 2, 1})
      .Case("__commit_write_pipe", {"conclave_pipe_commit_write", 2, 1})
      .Case("__work_group_reserve_read_pipe", {"conclave_pipe_group_reserve_read", 2, kResult})
      .Case("__work_group_reserve_write_pipe", {"conclave_pipe_group_reserve_write", 2, kResult})
      .Case("__work_group_commit_read_pipe", {"conclave_pipe_group_commit_read", 2, 1})
      .Case("__work_group_commit_write_pipe", {"conclave_pipe_group_commit_write", 2, 1})
      .Case("__sub_group_reserve_read_pipe", {"conclave_pipe_sub_group_reserve_read", 2, kResult})
      .Case("__sub_group_reserve_write_pipe", {"conclave_pipe_sub_group_reserve_write", 2, kResult})
      .Case("__sub_group_commit_read_pipe", {"conclave_pipe_sub_group_commit_read", 2, 1})
      .Case("__sub_group_commit_write_pipe", {"conclave_pipe_sub_group_commit_write", 2, 1})
      .Case("__get_pipe_num_packets_ro", {"conclave_pipe_packets", 2})
      .Case("__get_pipe_num_packets_wo", {"conclave_pipe_packets", 2})
      .Case("__get_pipe_max_packets_ro", {"conclave_pipe_capacity", 2})
      .Case("__get_pipe_max_packets_wo", {"conclave_pipe_capacity", 2})
      .Case(kIsValid, {"conclave_pipe_is_reserved", 0, 0})
      .Default({});
}

// In modules from SPIR-V, reservations are pointers.
void replace_call(llvm::CallInst& call, const std::string& name, const Builtin& builtin) {
  llvm::IRBuilder<> at(&call);
  std::vector<llvm::Value*> arguments(call.arg_begin(), call.arg_end() - builtin.dropped);
  if (builtin.reservation >= 0) {
    llvm::Value*& reservation = arguments[static_cast<size_t>(builtin.reservation)];
    if (reservation->getType()->isPointerTy())
      reservation = at.CreatePtrToInt(reservation, at.getInt64Ty());
  }
  const bool is_pointer = builtin.reservation == kResult && call.getType()->isPointerTy();
  llvm::Type* result = is_pointer ? at.getInt64Ty() : call.getType();
  std::vector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      call.getModule()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  llvm::CallInst* made = at.CreateCall(callee, arguments);
  made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call.replaceAllUsesWith(is_pointer ? at.CreateIntToPtr(made, call.getType()) : made);
  call.eraseFromParent();
}

void replace_calls(llvm::Function& pipe_function, const Builtin& builtin) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : pipe_function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) calls.push_back(call);
  // Ends that are read and that are written have types of their own, until both are pointers.
  const bool is_written_end = pipe_function.getName().ends_with("_wo");
  const std::string name = std::string(builtin.name) + (is_written_end ? "_written" : "");
  for (llvm::CallInst* call : calls) replace_call(*call, name, builtin);
}

}  // namespace

bool is_stream(const llvm::Type* type) {
  auto* opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  return opaque && opaque->getName() == "spirv.Pipe";
}

bool is_reservation(const llvm::Type* type) {
  auto* opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  return opaque && opaque->getName() == "spirv.ReserveId";
}

void make_pipes_streams(llvm::Module& module) {
  module.getOrInsertNamedMetadata(kStreamsNote);
}

bool are_pipes_streams(const llvm::Module& module) {
  return module.getNamedMetadata(kStreamsNote);
}

llvm::PreservedAnalyses LowerStreams::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const bool has_streams = are_pipes_streams(module);
  std::vector<llvm::Function*> declared;  // before there are builtins among them
  for (llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && !function.arg_empty() &&
        (is_stream(function.getArg(0)->getType()) || function.getName() == kIsValid))
      declared.push_back(&function);
  for (llvm::Function* function : declared) {
    const llvm::StringRef name = function->getName();
    const Builtin builtin = has_streams ? stream_builtin(name) : pipe_builtin(name);
    if (!builtin.name && (!has_streams || !name.contains("pipe"))) continue;  // the program's own
    if (!builtin.name)
      throw BuildError("'" + name.ltrim("_").str() +
                       "': a stream has one reader and one writer, and no reservations of packets");
    replace_calls(*function, builtin);
    if (function->use_empty()) function->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
