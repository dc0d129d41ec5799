// SPDX-License-Identifier: Apache-2.0
#include "platform/share/access_mode.h"

#include <cerrno>

#include "platform/base/error.h"

namespace conclave::share {

const char* name_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::kExclusive:
      return "exclusive";
    case AccessMode::kPrimary:
      return "primary";
    case AccessMode::kShared:
      break;
  }
  return "shared";
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::kGraphRead:
      return "read";
    case Operation::kGraphReadWithoutWaiting:
      return "read_nb";
    case Operation::kGraphTimestamp:
      return "get_timestamp";
    case Operation::kGraphUpdate:
      return "update";
    case Operation::kGraphUpdateWithoutWaiting:
      return "update_nb";
    case Operation::kGraphReset:
      return "reset";
    case Operation::kGraphRun:
      return "run";
    case Operation::kGraphWait:
      return "wait";
    case Operation::kGraphSuspend:
      return "suspend";
    case Operation::kGraphResume:
      return "resume";
    case Operation::kGraphEnd:
      return "end";
    case Operation::kArrayReset:
      return "reset_array";
    case Operation::kArraySync:
      return "sync of a GMIO buffer";
    case Operation::kArrayWait:
      return "wait for a GMIO buffer";
    case Operation::kProfilingStart:
      return "start of profiling";
    case Operation::kProfilingRead:
      return "read of profiling";
    case Operation::kProfilingStop:
      break;
  }
  return "stop of profiling";
}

void require_permission(const std::string& what, AccessMode mode, Operation operation) {
  if (may(mode, operation)) return;
  throw Error(CL_INVALID_OPERATION,
              what + " is open in " + name_of(mode) +
                  " mode, which does not permit this: " + name_of(operation),
              EPERM);
}

}  // namespace conclave::share
