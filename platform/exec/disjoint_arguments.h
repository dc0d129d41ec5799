// SPDX-License-Identifier: Apache-2.0
// Whether the memory objects of a launch overlap. Kernels with accumulations in loops ask
// (abi::kIsDisjoint): where they do not, sums stay in registers.
#ifndef CONCLAVE_PLATFORM_EXEC_DISJOINT_ARGUMENTS_H_
#define CONCLAVE_PLATFORM_EXEC_DISJOINT_ARGUMENTS_H_

#include "platform/model/kernel.h"

namespace conclave {

// True if no byte can be reached through two of the kernel's pointer arguments. Addresses of shared
// virtual memory may lead anywhere; of storage that other processes share, this one may have two
// mappings.
bool has_disjoint_arguments(const Kernel& kernel, const KernelInfo& info);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_DISJOINT_ARGUMENTS_H_
