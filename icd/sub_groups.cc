// SPDX-License-Identifier: Apache-2.0
#include "icd/sub_groups.h"

#include "icd/entry.h"

namespace conclave::icd {
namespace {

// A sub-group has the kernel's lanes if rows consist of whole ones, or if there is only one row.
// Otherwise it is a single work-item.
size_t sub_group_size(const KernelInfo& kernel, const LocalSize& local) {
  const bool fits = local[1] * local[2] == 1 || local[0] % kernel.lanes == 0;
  return fits ? kernel.lanes : 1;
}

}  // namespace

size_t largest_sub_group(const KernelInfo& kernel, const LocalSize& local) {
  return kernel.required_sub_group_size ? kernel.required_sub_group_size
                                        : sub_group_size(kernel, local);
}

size_t count_sub_groups(const KernelInfo& kernel, const LocalSize& local) {
  const size_t size = sub_group_size(kernel, local);
  return (local[0] * local[1] * local[2] + size - 1) / size;
}

size_t most_sub_groups(const KernelInfo& kernel) {
  const LocalSize& required = kernel.required_local_size;
  return required[0] ? count_sub_groups(kernel, required)
                     : Device::kMaxWorkGroupSize / kernel.lanes;
}

LocalSize local_size_for(const KernelInfo& kernel, size_t sub_groups) {
  if (sub_groups == 0 || sub_groups > Device::kMaxWorkGroupSize / kernel.lanes) return {};
  const LocalSize local = {sub_groups * kernel.lanes, 1, 1};
  const LocalSize& required = kernel.required_local_size;
  return required[0] && required != local ? LocalSize{} : local;
}

}  // namespace conclave::icd
