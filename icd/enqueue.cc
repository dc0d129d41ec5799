// SPDX-License-Identifier: Apache-2.0
#include "icd/enqueue.h"

namespace conclave::icd {
namespace {

constexpr cl_map_flags kMapForWriting = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

}  // namespace

void check_host_access(const Memory& memory, cl_mem_flags forbidden) {
  require(!(memory.flags() & (forbidden | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION,
          "the memory object was created without this kind of host access");
}

void check_map_flags(cl_map_flags flags) {
  require(!(flags & ~(CL_MAP_READ | kMapForWriting)) &&
              !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))),
          CL_INVALID_VALUE, "unknown map flags, or flags that exclude each other");
}

void check_map_access(const Memory& memory, cl_map_flags flags) {
  if (flags & CL_MAP_READ) check_host_access(memory, CL_MEM_HOST_WRITE_ONLY);
  if (flags & kMapForWriting) check_host_access(memory, CL_MEM_HOST_READ_ONLY);
}

void check_pattern(const void* pattern, size_t size) {
  require(pattern && size > 0 && size <= 128 && (size & (size - 1)) == 0, CL_INVALID_VALUE,
          "no pattern, or its size is none of 1, 2, 4, ... 128");
}

std::vector<Ref<Memory>> keeping(std::initializer_list<Memory*> memories) {
  std::vector<Ref<Memory>> keep;
  keep.reserve(memories.size());
  for (Memory* memory : memories) keep.emplace_back(memory);
  return keep;
}

void enqueue(CommandQueue& queue, cl_command_type type, std::unique_ptr<Command> command,
             std::span<const Ref<Event>> wait_for, cl_bool blocking, cl_event* out) {
  Ref<Event> event = queue.enqueue(type, std::move(command), wait_for);
  if (blocking)
    wait_blocking(queue, std::move(event), out);
  else
    hand_out(std::move(event), out);
}

void enqueue_map(CommandQueue& queue, cl_command_type type, Memory& memory, const void* pointer,
                 const Region& region, cl_map_flags flags, std::span<const Ref<Event>> wait_for,
                 cl_bool blocking, cl_event* out) {
  require(memory.add_mapping(pointer, region, flags & kMapForWriting), CL_INVALID_OPERATION,
          "the region overlaps one that is mapped for writing");
  try {
    enqueue(queue, type, nullptr, wait_for, blocking, out);
  } catch (const Error&) {
    memory.remove_mapping(pointer);
    throw;
  }
}

}  // namespace conclave::icd
