// SPDX-License-Identifier: Apache-2.0
// Commands on memory that host and kernels address alike: shared virtual memory, unified shared
// memory and the host's own.
#ifndef CONCLAVE_ICD_ENQUEUE_ADDRESS_H_
#define CONCLAVE_ICD_ENQUEUE_ADDRESS_H_

#include <CL/cl.h>

#include <cstddef>

namespace conclave::icd {

// The last arguments of a clEnqueue* call.
struct EventArguments {
  cl_uint count;
  const cl_event* wait_for;
  cl_event* out;
};

// Each throws Error with the codes of the clEnqueueSVM* function that it implements, which are those
// of unified shared memory too.
void enqueue_address_copy(cl_command_type type, cl_command_queue queue, cl_bool blocking, void* to,
                          const void* from, size_t size, const EventArguments& events);
void enqueue_address_fill(cl_command_type type, cl_command_queue queue, void* to,
                          const void* pattern, size_t pattern_size, size_t size,
                          const EventArguments& events);
// A command that only keeps the order: host and device share the memory.
void enqueue_nothing(cl_command_type type, cl_command_queue queue, cl_bool blocking,
                     const EventArguments& events);

// Throws Error{CL_INVALID_VALUE}.
void check_migration_flags(cl_mem_migration_flags flags);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_ENQUEUE_ADDRESS_H_
