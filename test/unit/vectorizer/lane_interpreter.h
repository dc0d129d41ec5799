// SPDX-License-Identifier: Apache-2.0
// Interprets the small part of LLVM IR that random_flow.h generates and linearize() makes of it:
// integers, addresses of one array of i32, and the functions of lane_masks.h.
#ifndef CONCLAVE_TEST_UNIT_VECTORIZER_LANE_INTERPRETER_H_
#define CONCLAVE_TEST_UNIT_VECTORIZER_LANE_INTERPRETER_H_

#include <llvm/IR/Function.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::test {

using Cell = std::optional<uint64_t>;  // nothing: undefined

// What one lane did.
struct LaneResult {
  std::vector<std::pair<uint64_t, Cell>> stores;  // address and value, in order
  Cell returned;
};

struct Execution {
  std::vector<LaneResult> lanes;
  std::string error;  // why the code has no defined meaning, or breaks a promise of linearize()
};

// Runs all lanes together. `arguments` has a vector with the lanes' values for each parameter.
// What a load gives depends on its address alone. `uniformity`, if given, is held against the
// values seen.
Execution interpret(llvm::Function& function, const std::vector<std::vector<uint64_t>>& arguments,
                    const compiler::Uniformity* uniformity);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_VECTORIZER_LANE_INTERPRETER_H_
