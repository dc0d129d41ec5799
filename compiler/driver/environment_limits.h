// SPDX-License-Identifier: Apache-2.0
// The limits of a build by hand. Other builds get theirs with the request.
#ifndef CONCLAVE_COMPILER_DRIVER_ENVIRONMENT_LIMITS_H_
#define CONCLAVE_COMPILER_DRIVER_ENVIRONMENT_LIMITS_H_

#include "compiler/base/build_limits.h"

namespace conclave::compiler {

// Reads CONCLAVE_COMPILE_MEMORY_MIB and CONCLAVE_COMPILE_TIMEOUT_S; their defaults are the
// platform's. Throws UsageError for what is no number above 0.
BuildLimits environment_limits();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_ENVIRONMENT_LIMITS_H_
