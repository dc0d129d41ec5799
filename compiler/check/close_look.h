// SPDX-License-Identifier: Apache-2.0
// Calls of abi::CheckUnit::access, for what is not found to be right by a comparison.
#ifndef CONCLAVE_COMPILER_CHECK_CLOSE_LOOK_H_
#define CONCLAVE_COMPILER_CHECK_CLOSE_LOOK_H_

#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "compiler/check/region_values.h"

namespace conclave::compiler {

class CloseLook {
 public:
  CloseLook(RegionValues& values, std::string kernel, const Granules& granules)
      : values_(values), kernel_(std::move(kernel)), granules_(granules) {}

  // Lets `instruction`, which is the access or a copy of it, access what the runtime says.
  void redirect(const CheckedAccess& access, llvm::Instruction& instruction);

  // A copy or fill that the runtime finds something wrong with does nothing.
  void replace_length(llvm::MemIntrinsic& copy);

  // Replaces a call that private memory's checks have left (check_private.h).
  void report_private(llvm::CallInst& call);

 private:
  struct Target {
    llvm::Value* base;
    llvm::Value* size;
  };
  Target target_of(const CheckedObject& object);
  llvm::Constant* site_of(const llvm::Instruction& instruction, const CheckedAccess& access,
                          uint64_t bytes);
  llvm::Value* call(llvm::IRBuilder<>& builder, llvm::Value* site, const Target& target,
                    llvm::Value* address, llvm::Value* bytes, llvm::Value* value);
  llvm::Value* is_good(llvm::IRBuilder<>& builder, llvm::MemIntrinsic& copy, llvm::Value* pointer,
                       unsigned operand, bool is_write);

  RegionValues& values_;
  std::string kernel_;
  const Granules& granules_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_CLOSE_LOOK_H_
