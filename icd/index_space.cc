// SPDX-License-Identifier: Apache-2.0
#include "icd/index_space.h"

#include <algorithm>

namespace conclave::icd {
namespace {

std::string size_text(const std::array<size_t, 3>& size, cl_uint dimensions) {
  std::string text = std::to_string(size[0]);
  for (cl_uint d = 1; d < dimensions; ++d) text += "x" + std::to_string(size[d]);
  return text;
}

// Errors are functions of their own: launches pass through what is left.
[[noreturn, gnu::cold]] void throw_too_many_items(const IndexSpace& space) {
  throw Error(CL_INVALID_GLOBAL_WORK_SIZE,
              "a global size of " + size_text(space.global, space.dimensions) + ": at most " +
                  std::to_string(IndexSpace::kMostItems) + " work-items");
}

[[noreturn, gnu::cold]] void throw_too_large(const IndexSpace& space, const KernelCode& code) {
  const size_t most_in_dimension = Device::max_work_group_size();
  for (size_t size : space.local)
    if (size > most_in_dimension)
      throw Error(CL_INVALID_WORK_ITEM_SIZE,
                  "a local size of " + size_text(space.local, space.dimensions) + ": at most " +
                      std::to_string(most_in_dimension) + " in a dimension");
  const size_t most = code.max_work_group_size;
  throw Error(CL_INVALID_WORK_GROUP_SIZE,
              "a work-group of " + size_text(space.local, space.dimensions) + ": at most " +
                  std::to_string(most) + " work-items" +
                  (most < most_in_dimension
                       ? " of this kernel, each of which needs " +
                             std::to_string(code.info->spill_bytes) + " bytes across barriers"
                       : ""));
}

[[noreturn, gnu::cold]] void throw_not_required(const IndexSpace& space, const KernelCode& code) {
  throw Error(CL_INVALID_WORK_GROUP_SIZE, "the kernel requires work-groups of " +
                                              size_text(code.info->required_local_size, 3) +
                                              ", not " + size_text(space.local, space.dimensions));
}

[[noreturn, gnu::cold]] void throw_not_uniform(const IndexSpace& space) {
  throw Error(CL_INVALID_WORK_GROUP_SIZE,
              "the global size " + size_text(space.global, space.dimensions) +
                  " is no multiple of the local size " + size_text(space.local, space.dimensions) +
                  ", and the program is built for uniform work-groups");
}

// Checks that the global size fits, in work-groups of the local size.
void check_global_size(const IndexSpace& space) {
  if (!space.items().at_most(IndexSpace::kMostItems)) throw_too_many_items(space);
}

// The local size as given: within the device's and the kernel's limits.
void check_local_size(const IndexSpace& space, const KernelCode& code) {
  size_t items = 1;
  for (cl_uint d = 0; d < space.dimensions; ++d) {
    const size_t size = space.local[d];
    require(size > 0, CL_INVALID_WORK_GROUP_SIZE, "a local size of 0");
    if (size > code.max_work_group_size || (items *= size) > code.max_work_group_size)
      throw_too_large(space, code);
  }
  const auto& required = code.info->required_local_size;
  if (required[0] && required != space.local) throw_not_required(space, code);
  if (!code.info->uniform_work_groups) return;
  for (cl_uint d = 0; d < space.dimensions; ++d)
    if (space.global[d] % space.local[d] != 0) throw_not_uniform(space);
}

[[noreturn, gnu::cold]] void throw_not_set(const Kernel& kernel, size_t argument) {
  throw Error(CL_INVALID_KERNEL_ARGS, "argument " + std::to_string(argument) + " ('" +
                                          kernel.info().arguments[argument].name +
                                          "') of kernel '" + kernel.info().name + "' is not set");
}

[[noreturn, gnu::cold]] void throw_local_memory(CheckedSize bytes) {
  throw Error(CL_OUT_OF_RESOURCES, "the kernel needs " + std::to_string(bytes.saturated()) +
                                       " bytes of local memory; the device has " +
                                       std::to_string(Device::kLocalMemoryBytes));
}

// A kernel that may not use all compute units needs one, and all work-groups of a gang run at once.
void require_units(const IndexSpace& space, const KernelCode& code, size_t units) {
  require(units > 0, CL_INVALID_PROGRAM_EXECUTABLE,
          "the kernel is bound to compute units of an xclbin, none of which is on the queue's "
          "device");
  if (!code.info->gang) return;
  const size_t groups = space.all_groups();
  if (groups > units)
    throw Error(CL_INVALID_GLOBAL_WORK_SIZE, "a gang of " + std::to_string(groups) +
                                                 " work-groups, which have to run at the "
                                                 "same time; the device has " +
                                                 std::to_string(units) + " compute units");
}

}  // namespace

const std::shared_ptr<const KernelCode>& executable_code(const CommandQueue& queue,
                                                         const Kernel& kernel) {
  require(&queue.context() == &kernel.program().context(), CL_INVALID_CONTEXT,
          "the queue and the kernel are of different contexts");
  const auto* code = kernel.code_for(queue.device());
  require(code, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for the queue's device");
  return *code;
}

void require_arguments_set(const Kernel& kernel) {
  const size_t i = kernel.first_unset();
  if (i < kernel.arguments().size()) throw_not_set(kernel, i);
}

void require_dimensions(cl_uint dimensions) {
  require(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION,
          "the number of dimensions is not 1, 2 or 3");
}

IndexSpace index_space(const CommandQueue& queue, const Kernel& kernel, const KernelCode& code,
                       cl_uint dimensions, const size_t* offset, const size_t* global,
                       const size_t* local) {
  require_dimensions(dimensions);
  IndexSpace space;
  space.dimensions = dimensions;
  bool empty = global == nullptr;
  for (cl_uint d = 0; d < dimensions; ++d) {
    space.global[d] = global ? global[d] : 0;
    space.offset[d] = offset ? offset[d] : 0;
    require(space.global[d] <= SIZE_MAX - space.offset[d], CL_INVALID_GLOBAL_OFFSET,
            "the global offset and size overflow size_t");
    empty |= space.global[d] == 0;
  }
  const auto& required = code.info->required_local_size;
  const auto units = [&] { return std::max<size_t>(1, kernel.units_on(queue.device()).size()); };
  if (local) {
    for (cl_uint d = 0; d < dimensions; ++d) space.local[d] = local[d];
    check_local_size(space, code);
  } else if (!empty) {
    check_global_size(space);
    space.local = choose_local_size(space, code, units());
    if (required[0]) check_local_size(space, code);
  }
  // A local size that the platform has chosen divides the global size.
  if (local || required[0]) check_global_size(space);
  if (local && code.info->joins_groups &&
      has_too_few_groups(space, *code.info, code.timing.ns_per_item(), units())) {
    IndexSpace chosen = space;
    chosen.local = choose_local_size(space, code, units());
    if (chosen.all_groups() > space.all_groups()) return chosen;
  }
  return space;
}

Launch checked_launch(const CommandQueue& queue, const Kernel& kernel, cl_uint dimensions,
                      const size_t* offset, const size_t* global, const size_t* local,
                      Arguments arguments) {
  const std::shared_ptr<const KernelCode>& code = executable_code(queue, kernel);
  if (arguments == Arguments::kSet) require_arguments_set(kernel);
  const IndexSpace space = index_space(queue, kernel, *code, dimensions, offset, global, local);
  if (const CheckedSize bytes = kernel.local_bytes(*code);
      !bytes.at_most(Device::kLocalMemoryBytes))
    throw_local_memory(bytes);
  if (kernel.bound_units() || code->info->gang) [[unlikely]]
    require_units(space, *code, kernel.units_on(queue.device()).size());
  return {code, space};
}

}  // namespace conclave::icd
