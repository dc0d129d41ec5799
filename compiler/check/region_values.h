// SPDX-License-Identifier: Apache-2.0
// What checks in a region function need again and again, calculated once at its entry.
#ifndef CONCLAVE_COMPILER_CHECK_REGION_VALUES_H_
#define CONCLAVE_COMPILER_CHECK_REGION_VALUES_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <array>
#include <map>
#include <utility>

#include "compiler/check/checked_access.h"

namespace conclave::compiler {

class RegionValues {
 public:
  // The region's entry block must end in a branch.
  explicit RegionValues(llvm::Function& region);

  llvm::Value* unit() const;
  llvm::Value* zero() { return builder_.getInt64(0); }
  const std::array<llvm::Value*, 3>& global_ids();

  // A field of abi::CheckUnit, which stays as it is while the region runs.
  llvm::Value* unit_field(uint64_t offset);
  // Where an object begins, its bytes, and which offsets are inside for an access of `bytes` bytes:
  // those below the limit.
  llvm::Value* base(const CheckedObject& object);
  llvm::Value* size(const CheckedObject& object);
  llvm::Value* limit(const CheckedObject& object, uint64_t bytes);
  // A field of the abi::CheckedMemory of an argument.
  llvm::Value* memory_field(const CheckedObject& argument, uint64_t offset);
  llvm::Value* is_not_zero(llvm::Value* value);
  // Of an address that one of the above is: what the vectorizer sees through.
  llvm::Value* as_pointer(llvm::Value* address);
  // The tag of the work-item, for global or for local memory, and the least part of it.
  llvm::Value* tag(bool is_local);
  llvm::Value* item();

  // How far an address is behind an object's begin, or that of local memory.
  llvm::Value* offset(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* base);
  llvm::Value* local_memory();

 private:
  llvm::Value* load_constant(llvm::Value* base, uint64_t offset, bool is_constant);
  llvm::Value* call_index_function(const char* name, bool has_dimension, unsigned dimension);

  llvm::Function& region_;
  llvm::IRBuilder<> builder_;  // at the entry's end
  std::array<llvm::Value*, 3> ids_{};
  llvm::Value* item_ = nullptr;
  llvm::Value* local_memory_ = nullptr;
  std::array<llvm::Value*, 2> tags_{};
  llvm::DenseMap<uint64_t, llvm::Value*> fields_;
  std::map<std::pair<llvm::Value*, uint64_t>, llvm::Value*> memory_fields_, limits_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> bases_, tests_, pointers_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_REGION_VALUES_H_
