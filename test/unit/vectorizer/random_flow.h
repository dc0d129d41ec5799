// SPDX-License-Identifier: Apache-2.0
// Functions with random control flow, as text of LLVM IR. Their variables are allocas, for mem2reg
// to make phis of.
#ifndef CONCLAVE_TEST_UNIT_VECTORIZER_RANDOM_FLOW_H_
#define CONCLAVE_TEST_UNIT_VECTORIZER_RANDOM_FLOW_H_

#include <cstdint>
#include <string>

namespace conclave::test {

// Nested ifs, loops with breaks and continues, switches and early returns. The function is
// i32 @f(i64 %lane.x, i64 %n, ptr %memory).
std::string structured_flow(uint64_t seed);

// Blocks with edges anywhere, irreducible loops included; each back edge is taken a few times.
std::string unstructured_flow(uint64_t seed);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_VECTORIZER_RANDOM_FLOW_H_
