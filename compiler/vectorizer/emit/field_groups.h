// SPDX-License-Identifier: Apache-2.0
// Loads, or stores, of neighbouring places: the fields of a structure, or data[2 * i] and
// data[2 * i + 1]. Each of them would take elements of each lane for itself; all of them together
// are long loads and shuffles.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_FIELD_GROUPS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_FIELD_GROUPS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/vectorizer/emit/packet_access.h"
#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

struct FieldGroup {
  struct Member {
    llvm::Instruction* access;
    int64_t offset;  // bytes behind the first member
  };
  std::vector<Member> members;  // in the order of their places, one behind the other
  // Where all of them can be done: the first of loads, the last of stores.
  llvm::Instruction* position;
  int64_t position_offset;
};

class FieldGroups {
 public:
  // `block`: all its instructions run for the lanes of one mask.
  FieldGroups(llvm::BasicBlock& block, const PacketValues& values);

  // Null for an access that is in none.
  const FieldGroup* of(const llvm::Instruction& access) const;

 private:
  std::vector<FieldGroup> groups_;
  llvm::DenseMap<const llvm::Instruction*, size_t> group_of_;
};

// Whether they are, than one after the other.
bool are_better_together(const FieldGroup& group, llvm::Value* mask, const PacketValues& values,
                         const llvm::TargetTransformInfo* target);
// Emits the group's accesses at its position and defines the parts of loads.
void packetize_fields(const FieldGroup& group, llvm::Value* mask, PacketValues& values,
                      const llvm::TargetTransformInfo* target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_FIELD_GROUPS_H_
