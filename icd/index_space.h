// SPDX-License-Identifier: Apache-2.0
// Checks of a kernel launch.
#ifndef CONCLAVE_ICD_INDEX_SPACE_H_
#define CONCLAVE_ICD_INDEX_SPACE_H_

#include "icd/entry.h"
#include "platform/exec/nd_range.h"

namespace conclave::icd {

// The kernel's code for the queue's device. Throws Error{CL_INVALID_CONTEXT,
// CL_INVALID_PROGRAM_EXECUTABLE}.
const std::shared_ptr<const KernelCode>& executable_code(const CommandQueue& queue,
                                                         const Kernel& kernel);

// Throws Error{CL_INVALID_KERNEL_ARGS}, naming the first argument that is not set.
void require_arguments_set(const Kernel& kernel);

// Throws Error{CL_INVALID_WORK_DIMENSION} unless it is 1, 2 or 3.
void require_dimensions(cl_uint dimensions);

// The index space of a launch of `kernel`; chooses the local size if `local` is null. Throws Error
// with the codes of clEnqueueNDRangeKernel.
IndexSpace index_space(const CommandQueue& queue, const Kernel& kernel, const KernelCode& code,
                       cl_uint dimensions, const size_t* offset, const size_t* global,
                       const size_t* local);

struct Launch {
  const std::shared_ptr<const KernelCode>& code;  // the kernel owns it
  IndexSpace space;
};

// A launch that is to be enqueued, or one recorded for later, whose arguments may come with an
// update.
enum class Arguments { kSet, kMayBeUnset };

// Throws Error with the codes of clEnqueueNDRangeKernel.
Launch checked_launch(const CommandQueue& queue, const Kernel& kernel, cl_uint dimensions,
                      const size_t* offset, const size_t* global, const size_t* local,
                      Arguments arguments = Arguments::kSet);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_INDEX_SPACE_H_
