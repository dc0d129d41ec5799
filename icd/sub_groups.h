// SPDX-License-Identifier: Apache-2.0
// How the work-groups of a kernel are divided into sub-groups. The compiler's sub_groups.h divides
// them.
#ifndef CONCLAVE_ICD_SUB_GROUPS_H_
#define CONCLAVE_ICD_SUB_GROUPS_H_

#include <array>
#include <cstddef>

#include "platform/loader/program_binary.h"

namespace conclave::icd {

using LocalSize = std::array<size_t, 3>;

// What get_max_sub_group_size() returns in work-groups of that size.
size_t largest_sub_group(const KernelInfo& kernel, const LocalSize& local);

// Sub-groups of a work-group of that size.
size_t count_sub_groups(const KernelInfo& kernel, const LocalSize& local);

// The most sub-groups that a work-group can have, all of them whole.
size_t most_sub_groups(const KernelInfo& kernel);

// The local size of work-groups with that many whole sub-groups; zeros if there is none.
LocalSize local_size_for(const KernelInfo& kernel, size_t sub_groups);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_SUB_GROUPS_H_
