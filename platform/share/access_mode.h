// SPDX-License-Identifier: Apache-2.0
// The three modes in which a process may have the device's array or a graph of the device image,
// and the rules that follow from them (docs/access-modes.md). They are XRT's, as its documentation
// says, which its drivers do not keep in everything.
#ifndef CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_
#define CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_

#include <string>

namespace conclave::share {

// With the numbers of xrt::aie::access_mode and xrt::graph::access_mode.
enum class AccessMode { kExclusive, kPrimary, kShared };

// "exclusive"
const char* name_of(AccessMode mode);

// Whether somebody who has it open in one mode rules out that it is opened in another one besides.
constexpr bool rules_out(AccessMode open, AccessMode wanted) {
  if (open == AccessMode::kExclusive || wanted == AccessMode::kExclusive) return true;
  return open == AccessMode::kPrimary && wanted == AccessMode::kPrimary;
}

// What one does with a graph, and then with the array. An update is one of a run-time parameter,
// whether its port is synchronous or asynchronous.
enum class Operation {
  kGraphRead,
  kGraphReadWithoutWaiting,
  kGraphTimestamp,
  kGraphUpdate,
  kGraphUpdateWithoutWaiting,
  kGraphReset,
  kGraphRun,
  kGraphWait,
  kGraphSuspend,
  kGraphResume,
  kGraphEnd,
  kArrayReset,
  kArraySync,
  kArrayWait,
  kProfilingStart,
  kProfilingRead,
  kProfilingStop,
};
inline constexpr int kOperations = static_cast<int>(Operation::kProfilingStop) + 1;

// The operation as XRT calls it: "read", "reset_array".
const char* name_of(Operation operation);

// Whoever has full access may do everything; in shared mode nothing is permitted that changes a
// state or takes part in what the owner does.
constexpr bool may(AccessMode mode, Operation operation) {
  if (mode != AccessMode::kShared) return true;
  return operation == Operation::kGraphRead || operation == Operation::kGraphReadWithoutWaiting ||
         operation == Operation::kGraphTimestamp;
}

// Throws Error{CL_INVALID_OPERATION, EPERM}, naming mode and operation, unless may(). `what` is
// "graph gr[0]", "the array".
void require_permission(const std::string& what, AccessMode mode, Operation operation);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_
