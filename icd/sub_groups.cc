// SPDX-License-Identifier: Apache-2.0
// How the work-groups of a kernel are divided into sub-groups, for programs that ask. The compiler's
// sub_groups.h divides them.
#include <algorithm>
#include <array>
#include <cstring>

#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

using LocalSize = std::array<size_t, 3>;

// A sub-group has the kernel's lanes if rows consist of whole ones, or if there is only one row.
// Otherwise it is a single work-item.
size_t sub_group_size(const KernelInfo& kernel, const LocalSize& local) {
  const bool fits = local[1] * local[2] == 1 || local[0] % kernel.lanes == 0;
  return fits ? kernel.lanes : 1;
}

// What get_max_sub_group_size() returns in work-groups of that size.
size_t largest_sub_group(const KernelInfo& kernel, const LocalSize& local) {
  return kernel.required_sub_group_size ? kernel.required_sub_group_size
                                        : sub_group_size(kernel, local);
}

// Sub-groups of a work-group of that size.
size_t count_sub_groups(const KernelInfo& kernel, const LocalSize& local) {
  const size_t size = sub_group_size(kernel, local);
  return (local[0] * local[1] * local[2] + size - 1) / size;
}

// The most sub-groups that a work-group can have, all of them whole.
size_t most_sub_groups(const KernelInfo& kernel) {
  const LocalSize& required = kernel.required_local_size;
  return required[0] ? count_sub_groups(kernel, required)
                     : Device::kMaxWorkGroupSize / kernel.lanes;
}

// The local size of work-groups with that many whole sub-groups; zeros if there is none.
LocalSize local_size_for(const KernelInfo& kernel, size_t sub_groups) {
  if (sub_groups == 0 || sub_groups > Device::kMaxWorkGroupSize / kernel.lanes) return {};
  const LocalSize local = {sub_groups * kernel.lanes, 1, 1};
  const LocalSize& required = kernel.required_local_size;
  return required[0] && required != local ? LocalSize{} : local;
}

// The local size of a query about sub-groups; missing dimensions are 1.
LocalSize local_size_input(size_t size, const void* input) {
  const size_t dimensions = size / sizeof(size_t);
  require(input && size % sizeof(size_t) == 0 && dimensions >= 1 && dimensions <= 3,
          CL_INVALID_VALUE, "the local size is no array of one to three size_t");
  LocalSize local = {1, 1, 1};
  std::memcpy(local.data(), input, size);
  for (size_t extent : local)
    require(extent > 0 && extent <= Device::max_work_group_size(), CL_INVALID_VALUE,
            "a local size of 0, or more than the device has");
  return local;
}

// Returns as many dimensions as there is room for.
std::vector<size_t> dimensions_asked_for(const LocalSize& local, const Info& info) {
  const size_t room = info.target() ? info.size() / sizeof(size_t) : local.size();
  const size_t count = std::clamp<size_t>(room, 1, local.size());
  return {local.begin(), local.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(
    cl_kernel handle, cl_device_id device_handle, cl_kernel_sub_group_info name, size_t input_size,
    const void* input, size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const KernelInfo& kernel_info = *code_for_query(kernel(handle), device_handle).info;
    Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return info.value<size_t>(
            largest_sub_group(kernel_info, local_size_input(input_size, input)));
      case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return info.value<size_t>(
            count_sub_groups(kernel_info, local_size_input(input_size, input)));
      case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        require(input && input_size == sizeof(size_t), CL_INVALID_VALUE,
                "the number of sub-groups is no size_t");
        const LocalSize local = local_size_for(kernel_info, *static_cast<const size_t*>(input));
        return info.list(dimensions_asked_for(local, info));
      }
      case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return info.value<size_t>(most_sub_groups(kernel_info));
      case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return info.value<size_t>(0);  // OpenCL C cannot say it
      case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return info.value<size_t>(kernel_info.required_sub_group_size);
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(
    cl_kernel handle, cl_device_id device_handle, cl_kernel_sub_group_info name, size_t input_size,
    const void* input, size_t size, void* value, size_t* size_ret) {
  return clGetKernelSubGroupInfo(handle, device_handle, name, input_size, input, size, value,
                                 size_ret);
}

}  // extern "C"
