// SPDX-License-Identifier: Apache-2.0
// The comparisons that find an access to be right without a call. They are votes (lane_masks.h): of
// all lanes at once.
#ifndef CONCLAVE_COMPILER_CHECK_QUICK_CHECKS_H_
#define CONCLAVE_COMPILER_CHECK_QUICK_CHECKS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>

#include "compiler/check/region_values.h"

namespace conclave::compiler {

// How the accesses of a kernel, and of one of its regions, use its objects.
struct ObjectUses {
  llvm::SmallPtrSet<llvm::Value*, 8> read, written;
  bool has_unknown_writes = false;

  void add(const CheckedAccess& access);
  bool is_read(const CheckedObject& object) const { return read.contains(object.value); }
  bool is_written(const CheckedObject& object) const {
    return written.contains(object.value) || has_unknown_writes;
  }
};

class QuickChecks {
 public:
  QuickChecks(RegionValues& values, const Granules& granules, const ObjectUses& in_kernel,
              const ObjectUses& in_region)
      : values_(values), granules_(granules), in_kernel_(in_kernel), in_region_(in_region) {}

  // Whether any access of any lane is outside of what it should be in, or not aligned.
  llvm::Value* any_misplaced(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);

  // Whether shadow memory has anything to tell about them; null: never.
  llvm::Value* are_tracked(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);
  // Whether shadow memory needs a close look at any of them.
  llvm::Value* any_doubtful(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);
  // Notes the accesses in shadow memory.
  void note(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);
  // Takes back what note() has said of writes.
  void forget_writes(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);
  // Whether lanes have written the same place; null: they cannot have.
  llvm::Value* any_overwritten(llvm::IRBuilder<>& builder, llvm::ArrayRef<CheckedAccess> accesses);

 private:
  bool is_in_shadow(const CheckedAccess& access) const;
  bool tracks_readers(const CheckedAccess& access) const;
  llvm::Value* tags_of(llvm::IRBuilder<>& builder, const CheckedAccess& access, bool readers);
  llvm::Type* tag_type(const CheckedAccess& access) const;
  llvm::Value* splat(llvm::IRBuilder<>& builder, llvm::Value* value, const CheckedAccess& access);
  llvm::Value* any_element(llvm::IRBuilder<>& builder, llvm::Value* condition);
  llvm::Value* is_others(llvm::IRBuilder<>& builder, llvm::Value* tags,
                         const CheckedAccess& access);
  llvm::Value* is_plain_write(llvm::IRBuilder<>& builder, llvm::Value* tags,
                              const CheckedAccess& access);
  llvm::Value* init_doubt(llvm::IRBuilder<>& builder, const CheckedAccess& access);
  llvm::Value* tag_doubt(llvm::IRBuilder<>& builder, const CheckedAccess& access);
  void note_init(llvm::IRBuilder<>& builder, const CheckedAccess& access);
  void store_tags(llvm::IRBuilder<>& builder, llvm::Value* tags, const CheckedAccess& access);
  void note_tags(llvm::IRBuilder<>& builder, const CheckedAccess& access);
  llvm::Value* init_address(llvm::IRBuilder<>& builder, const CheckedAccess& access);
  llvm::Type* init_type(const CheckedAccess& access) const;

  RegionValues& values_;
  const Granules& granules_;
  const ObjectUses& in_kernel_;
  const ObjectUses& in_region_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_QUICK_CHECKS_H_
