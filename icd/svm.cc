// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory. Host and device share all memory, and see each other's writes at once, so
// every kind of it is fine-grained: mapping and migrating it only keeps the order of commands.
#include <vector>

#include "icd/enqueue.h"
#include "icd/enqueue_address.h"
#include "icd/entry.h"
#include "platform/exec/memory_commands.h"
#include "platform/model/host_allocations.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr auto kSvm = HostAllocations::Kind::kPlain;
using FreeFunction = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void*[], void*);

void check_flags(cl_svm_mem_flags flags) {
  constexpr cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  const cl_svm_mem_flags asked = flags & access;
  require(!(flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) &&
              !(asked & (asked - 1)),
          CL_INVALID_VALUE, "unknown flags, or flags that exclude each other");
  require(!(flags & CL_MEM_SVM_ATOMICS) || (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER), CL_INVALID_VALUE,
          "CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER");
}

// Throws Error{CL_INVALID_VALUE} unless the range lies in one allocation; size 0 means all of it.
void check_allocated(Context& context, const void* address, size_t size) {
  const auto allocation = context.allocations().find(address);
  require(allocation && allocation->contains(address, size), CL_INVALID_VALUE,
          "the range does not lie in memory from clSVMAlloc");
}

}  // namespace

extern "C" {

CL_API_ENTRY void* CL_API_CALL clSVMAlloc(cl_context handle, cl_svm_mem_flags flags, size_t size,
                                          cl_uint alignment) {
  return create(__func__, nullptr, [&] {
    Context& c = context(handle);
    check_flags(flags);
    require(size > 0 && size <= Device::max_allocation(), CL_INVALID_BUFFER_SIZE,
            "0 bytes, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
    require(!(alignment & (alignment - 1)) && alignment <= Device::kMemoryAlignment,
            CL_INVALID_VALUE, "an alignment that no type of OpenCL C has");
    return c.allocations().allocate({}, 0, size);
  });
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context handle, void* pointer) {
  guarded(__func__, [&] {
    Context& c = any_context(handle);
    require(!pointer || c.allocations().free(pointer, kSvm), CL_INVALID_VALUE,
            "the address is not that of memory from clSVMAlloc");
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue handle, cl_uint count,
                                                 void* pointers[], FreeFunction function,
                                                 void* user_data, cl_uint num_events,
                                                 const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    require_list(count, pointers, CL_INVALID_VALUE, "a count without pointers, or the reverse");
    auto wait_for = wait_list(q.context(), num_events, events);
    std::vector<void*> list(pointers, pointers + count);
    const auto free_all = [&q, list, function, user_data]() mutable {
      if (function)
        return function(q.handle(), static_cast<cl_uint>(list.size()), list.data(), user_data);
      for (void* pointer : list)
        if (pointer && !q.context().allocations().free(pointer, kSvm))
          q.report("clEnqueueSVMFree: an address is not that of memory from clSVMAlloc");
    };
    hand_out(q.enqueue(CL_COMMAND_SVM_FREE, make_host_call(free_all, {}), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue handle, cl_bool blocking,
                                                   void* to, const void* from, size_t size,
                                                   cl_uint num_events, const cl_event* events,
                                                   cl_event* out) {
  return guarded(__func__, [&] {
    enqueue_address_copy(CL_COMMAND_SVM_MEMCPY, handle, blocking, to, from, size,
                         {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue handle, void* to,
                                                    const void* pattern, size_t pattern_size,
                                                    size_t size, cl_uint num_events,
                                                    const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    enqueue_address_fill(CL_COMMAND_SVM_MEMFILL, handle, to, pattern, pattern_size, size,
                         {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue handle, cl_bool blocking,
                                                cl_map_flags flags, void* pointer, size_t size,
                                                cl_uint num_events, const cl_event* events,
                                                cl_event* out) {
  return guarded(__func__, [&] {
    queue(handle);
    check_map_flags(flags);
    require(pointer && size > 0, CL_INVALID_VALUE, "a mapping of nothing");
    enqueue_nothing(CL_COMMAND_SVM_MAP, handle, blocking, {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue handle, void* pointer,
                                                  cl_uint num_events, const cl_event* events,
                                                  cl_event* out) {
  return guarded(__func__, [&] {
    queue(handle);
    require(pointer, CL_INVALID_VALUE, "no address");
    enqueue_nothing(CL_COMMAND_SVM_UNMAP, handle, CL_FALSE, {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue handle, cl_uint count,
                                                       const void** pointers, const size_t* sizes,
                                                       cl_mem_migration_flags flags,
                                                       cl_uint num_events, const cl_event* events,
                                                       cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    require(count > 0 && pointers, CL_INVALID_VALUE, "no pointers");
    check_migration_flags(flags);
    for (cl_uint i = 0; i < count; ++i)
      check_allocated(q.context(), pointers[i], sizes ? sizes[i] : 0);
    enqueue_nothing(CL_COMMAND_SVM_MIGRATE_MEM, handle, CL_FALSE, {num_events, events, out});
  });
}

}  // extern "C"
