// SPDX-License-Identifier: Apache-2.0
// Kernels whose work-groups may wait for earlier ones, such as prefix sums in a single pass.
#ifndef CONCLAVE_COMPILER_WORKGROUP_GROUP_ORDER_H_
#define CONCLAVE_COMPILER_WORKGROUP_GROUP_ORDER_H_

#include "compiler/base/region.h"

namespace conclave::compiler {

// Whether the kernel may look again and again for what another work-group does: it repeats a fence,
// or an atomic or volatile access to memory that groups share. OpenCL does not promise that an
// earlier group has begun. GPUs begin them in order, and programs rely on that.
bool may_wait_for_groups(const RegionedKernel& kernel);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_GROUP_ORDER_H_
