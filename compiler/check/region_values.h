// SPDX-License-Identifier: Apache-2.0
// Calculates at a region function's entry, once, what the checks in it need again and again.
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

  // Reads the field of abi::CheckUnit at `offset`. The field must not change while the region runs.
  llvm::Value* unit_field(uint64_t offset);
  // Return where an object begins, how many bytes it has, and the limit for accesses of `bytes`
  // bytes: an offset is inside if it is below the limit.
  llvm::Value* base(const CheckedObject& object);
  llvm::Value* size(const CheckedObject& object);
  llvm::Value* limit(const CheckedObject& object, uint64_t bytes);
  // Reads the field at `offset` of an argument's abi::CheckedMemory.
  llvm::Value* memory_field(const CheckedObject& argument, uint64_t offset);
  llvm::Value* is_not_zero(llvm::Value* value);
  // Converts an address that one of the above has returned, in a way that the vectorizer sees
  // through.
  llvm::Value* as_pointer(llvm::Value* address);
  // Return the work-item's tag, for global or for local memory, and the part of it in the lowest
  // bits, which names the item.
  llvm::Value* tag(bool is_local);
  llvm::Value* item();

  // Returns where local memory begins.
  llvm::Value* local_memory();
  // Returns how far `pointer` is behind `base`, where an object or local memory begins.
  llvm::Value* offset(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* base);

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
