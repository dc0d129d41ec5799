// SPDX-License-Identifier: Apache-2.0
// The three modes in which a process may have the device's array or a graph of the xclbin,
// and the rules that follow from them (docs/access-modes.md). The modes and rules are those of
// XRT's documentation, which XRT's drivers do not fully enforce.
#ifndef CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_
#define CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_

#include <string>

namespace conclave::share {

// The numbers are those of xrt::aie::access_mode and xrt::graph::access_mode.
enum class AccessMode { kExclusive, kPrimary, kShared };

// "exclusive"
const char* name_of(AccessMode mode);

// Whether something that is open in one mode forbids to open it in another mode too.
constexpr bool rules_out(AccessMode open, AccessMode wanted) {
  if (open == AccessMode::kExclusive || wanted == AccessMode::kExclusive) return true;
  return open == AccessMode::kPrimary && wanted == AccessMode::kPrimary;
}

// Operations on a graph, and then on the array. An update is an update of a run-time parameter,
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

// XRT's name of the operation: "read", "reset_array".
const char* name_of(Operation operation);

// Full access permits everything. Shared mode permits nothing that changes a state or takes part in
// what the owner does.
constexpr bool may(AccessMode mode, Operation operation) {
  if (mode != AccessMode::kShared) return true;
  return operation == Operation::kGraphRead || operation == Operation::kGraphReadWithoutWaiting ||
         operation == Operation::kGraphTimestamp;
}

// Throws Error{CL_INVALID_OPERATION, EPERM}, naming mode and operation, unless may(). `what` is
// something like "graph gr[0]" or "the array".
void require_permission(const std::string& what, AccessMode mode, Operation operation);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_ACCESS_MODE_H_
