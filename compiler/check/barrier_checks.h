// SPDX-License-Identifier: Apache-2.0
// Finds work-items of a group that come to different barriers, or to the kernel's end where others
// come to a barrier.
#ifndef CONCLAVE_COMPILER_CHECK_BARRIER_CHECKS_H_
#define CONCLAVE_COMPILER_CHECK_BARRIER_CHECKS_H_

#include <string>

#include "compiler/base/region.h"
#include "compiler/check/region_values.h"

namespace conclave::compiler {

// Each work-item compares what it has come to with what the one before it has. Where they differ
// the group ends: what the others would go on with was never calculated.
void check_barriers(Region& region, const std::string& kernel, RegionValues& values);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_BARRIER_CHECKS_H_
