// SPDX-License-Identifier: Apache-2.0
// Memory objects in memory that comes from outside (cl_khr_external_memory): from other processes,
// or from the program itself, by an opaque descriptor.
#ifndef CONCLAVE_ICD_EXTERNAL_MEMORY_H_
#define CONCLAVE_ICD_EXTERNAL_MEMORY_H_

#include <functional>

#include "icd/memory_flags.h"
#include "platform/model/context.h"
#include "platform/model/memory.h"

namespace conclave::icd {

// Throws Error{CL_INVALID_PROPERTY} for devices without a descriptor, Error{CL_INVALID_DEVICE} for
// devices that are not in the context.
void check_devices(const Context& context, const MemoryProperties& properties);

// Makes a memory object, by `make`, in the memory of the descriptor among the properties, which is
// closed then: it was given to us. Throws Error{CL_INVALID_PROPERTY} if it is not of memory of
// sealed size, Error{CL_INVALID_VALUE} or Error{CL_INVALID_HOST_PTR} for flags that name other
// memory, and for `host`.
cl_mem make_external(const Context& context, const MemoryProperties& properties, cl_mem_flags flags,
                     const void* host, const std::function<cl_mem(SharedStorage)>& make);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_EXTERNAL_MEMORY_H_
