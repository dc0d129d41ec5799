// SPDX-License-Identifier: Apache-2.0
// Which memory the loads, stores and atomic operations of a kernel access, as far as its code says.
#ifndef CONCLAVE_COMPILER_CHECK_CHECKED_ACCESS_H_
#define CONCLAVE_COMPILER_CHECK_CHECKED_ACCESS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conclave/check_abi.h"

namespace conclave::compiler {

// The object that a pointer is based on.
struct CheckedObject {
  enum class Kind {
    kArgument,  // what an argument of the kernel points to
    kVariable,  // of local memory, or of the program's
    kTrusted,   // private memory, which is checked elsewhere
    kUnknown,
  };
  Kind kind = Kind::kUnknown;
  llvm::Value* value = nullptr;  // the argument or variable
  bool is_local = false;

  bool operator==(const CheckedObject&) const = default;
};

struct CheckedAccess {
  llvm::Instruction* instruction;
  unsigned operand;  // which of its operands is the pointer
  uint64_t bytes;
  uint64_t alignment;
  abi::CheckedAccess kind;
  CheckedObject object;
  // The number of elements, of 1, 2, 4 or 8 bytes, each of which one instruction checks; 0 if the
  // access has other parts.
  unsigned elements;

  llvm::Value* pointer() const { return instruction->getOperand(operand); }
  bool is_write() const {
    return kind == abi::CheckedAccess::kWrite || kind == abi::CheckedAccess::kAtomic;
  }
  bool is_plain_read() const { return kind == abi::CheckedAccess::kRead; }
  bool is_plain() const { return elements != 0; }
};

// Finds the object of a pointer in a region function (region.h).
CheckedObject find_object(llvm::Value* pointer);

// Nothing for what is no access, or one of private memory.
std::optional<CheckedAccess> find_access(llvm::Instruction& instruction);

// Bytes that all tracked accesses of a kernel to its global, or local, memory are multiples of.
struct Granules {
  uint64_t global = 0, local = 0;  // 0: there are none
  uint64_t of(const CheckedObject& object) const { return object.is_local ? local : global; }
};

Granules find_granules(const std::vector<CheckedAccess>& accesses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_CHECKED_ACCESS_H_
