// SPDX-License-Identifier: Apache-2.0
// What the commands on buffers and on images have in common.
#ifndef CONCLAVE_ICD_ENQUEUE_H_
#define CONCLAVE_ICD_ENQUEUE_H_

#include <CL/cl.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "icd/entry.h"

namespace conclave::icd {

// Returns `memory` if commands of `queue` can use it. Throws Error{CL_INVALID_CONTEXT}.
inline Memory& of_queue(const CommandQueue& queue, Memory& memory) {
  require(&memory.context() == &queue.context(), CL_INVALID_CONTEXT,
          "the queue and the memory object are of different contexts");
  return memory;
}

// Throws Error{CL_INVALID_OPERATION} if the memory object was created with the flag `forbidden`.
void check_host_access(const Memory& memory, cl_mem_flags forbidden);

void check_map_flags(cl_map_flags flags);
void check_map_access(const Memory& memory, cl_map_flags flags);

// Throws Error{CL_INVALID_VALUE} for what no fill command can repeat.
void check_pattern(const void* pattern, size_t size);

// The objects that a command keeps alive until it is done.
std::vector<Ref<Memory>> keeping(std::initializer_list<Memory*> memories);

// Enqueues a command of a call that may block.
void enqueue(CommandQueue& queue, cl_command_type type, std::unique_ptr<Command> command,
             std::span<const Ref<Event>> wait_for, cl_bool blocking, cl_event* out);

// Enqueues the mapping of `region`, which begins at `pointer`.
void enqueue_map(CommandQueue& queue, cl_command_type type, Memory& memory, const void* pointer,
                 const Region& region, cl_map_flags flags, std::span<const Ref<Event>> wait_for,
                 cl_bool blocking, cl_event* out);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_ENQUEUE_H_
