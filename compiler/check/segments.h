// SPDX-License-Identifier: Apache-2.0
// Accesses of a block that one decision can be made for: from the first to the last, nothing but
// plain loads, stores and arithmetic, and all addresses are known before the first.
#ifndef CONCLAVE_COMPILER_CHECK_SEGMENTS_H_
#define CONCLAVE_COMPILER_CHECK_SEGMENTS_H_

#include <vector>

#include "compiler/check/checked_access.h"

namespace conclave::compiler {

using Segment = std::vector<CheckedAccess>;

// Moves the calculation of addresses as far as needed, and returns the segments of a block in
// order. `accesses` are its plain accesses, in order.
std::vector<Segment> find_segments(const std::vector<CheckedAccess>& accesses);

// The segment's code, and a second version of it, both between `before` and `behind`; no block has
// a branch to either yet.
struct TwoVersions {
  llvm::BasicBlock* before;  // without terminator
  llvm::BasicBlock* quick;
  llvm::BasicBlock* slow;
  llvm::BasicBlock* behind;
  std::vector<llvm::Instruction*> slow_accesses;  // of the segment's
};
TwoVersions make_two_versions(const Segment& segment);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_SEGMENTS_H_
