// SPDX-License-Identifier: Apache-2.0
// The properties that command queues can have.
#ifndef CONCLAVE_ICD_QUEUE_PROPERTIES_H_
#define CONCLAVE_ICD_QUEUE_PROPERTIES_H_

#include "CL/cl_ext_conclave.h"

namespace conclave::icd {

inline constexpr cl_command_queue_properties kQueueProperties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
    CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI;

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_QUEUE_PROPERTIES_H_
