// SPDX-License-Identifier: Apache-2.0
#include "icd/enqueue_address.h"

#include <cstdint>

#include "icd/commands.h"
#include "icd/enqueue.h"
#include "icd/entry.h"
#include "platform/exec/memory_commands.h"

namespace conclave::icd {

std::unique_ptr<Command> copy_address(void* to, const void* from, size_t size) {
  require(to && from, CL_INVALID_VALUE, "no source or destination");
  check_host_range(to, size);
  check_host_range(from, size);
  const auto* read = static_cast<const std::byte*>(from);
  auto* written = static_cast<std::byte*>(to);
  require(read + size <= written || written + size <= read, CL_MEM_COPY_OVERLAP,
          "source and destination overlap");
  return make_copy(read, written, size, {});
}

std::unique_ptr<Command> fill_address(void* to, const void* pattern, size_t pattern_size,
                                      size_t size) {
  check_pattern(pattern, pattern_size);
  require(to && reinterpret_cast<uintptr_t>(to) % pattern_size == 0, CL_INVALID_VALUE,
          "no memory, or its address is not a multiple of the pattern's size");
  require(size % pattern_size == 0, CL_INVALID_VALUE,
          "the size is not a multiple of the pattern's size");
  check_host_range(to, size);
  return make_fill(pattern, pattern_size, static_cast<std::byte*>(to), size, {});
}

void enqueue_address_copy(cl_command_type type, cl_command_queue handle, cl_bool blocking, void* to,
                          const void* from, size_t size, const EventArguments& events) {
  CommandQueue& q = queue(handle);
  auto command = copy_address(to, from, size);
  auto wait_for = wait_list(q.context(), events.count, events.wait_for);
  enqueue(q, type, std::move(command), wait_for, blocking, events.out);
}

void enqueue_address_fill(cl_command_type type, cl_command_queue handle, void* to,
                          const void* pattern, size_t pattern_size, size_t size,
                          const EventArguments& events) {
  CommandQueue& q = queue(handle);
  auto command = fill_address(to, pattern, pattern_size, size);
  auto wait_for = wait_list(q.context(), events.count, events.wait_for);
  enqueue(q, type, std::move(command), wait_for, CL_FALSE, events.out);
}

void enqueue_nothing(cl_command_type type, cl_command_queue handle, cl_bool blocking,
                     const EventArguments& events) {
  CommandQueue& q = queue(handle);
  auto wait_for = wait_list(q.context(), events.count, events.wait_for);
  enqueue(q, type, nullptr, wait_for, blocking, events.out);
}

void check_migration_flags(cl_mem_migration_flags flags) {
  require(!(flags & ~cl_mem_migration_flags(CL_MIGRATE_MEM_OBJECT_HOST |
                                            CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)),
          CL_INVALID_VALUE, "unknown migration flags");
}

}  // namespace conclave::icd
