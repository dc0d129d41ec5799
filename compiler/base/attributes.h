// SPDX-License-Identifier: Apache-2.0
// Attributes of functions and parameters by which passes tell each other what they have made.
#ifndef CONCLAVE_COMPILER_BASE_ATTRIBUTES_H_
#define CONCLAVE_COMPILER_BASE_ATTRIBUTES_H_

namespace conclave::compiler {

// A region function (region.h), and all that are made of it.
inline constexpr char kRegionAttribute[] = "conclave-region";

// Parameters of region functions to whose memory the kernel only adds (sum_arguments.h).
inline constexpr char kSumAttribute[] = "conclave-sum";

// Forms of regions that ask the launch whether its arguments are disjoint (disjoint_arguments.h).
inline constexpr char kAsksIfDisjoint[] = "conclave-asks-if-disjoint";

// Functions all of whose regions run in packets have this attribute: there is little left in them
// for LLVM's vectorizers.
inline constexpr char kInPackets[] = "conclave-in-packets";

// Functions of kernels that ask for no local or global id: they are made for one work-item (RefuseEqualWork in
// form_passes.h), so their loops are long.
inline constexpr char kTask[] = "conclave-task";

// Functions of kernels that lost their packets to the budget of a first build: other code follows
// soon, so LLVM's vectorizers would make these long for little.
inline constexpr char kForNow[] = "conclave-for-now";

// Functions that run seldom and briefly, in first builds: they are compiled with the least effort.
inline constexpr char kQuickCode[] = "conclave-quick-code";

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ATTRIBUTES_H_
