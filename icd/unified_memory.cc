// SPDX-License-Identifier: Apache-2.0
// cl_intel_unified_shared_memory. Host, device and shared allocations are the same memory; what a
// program asked for only shows in its queries.
#include <CL/cl_ext.h>

#include <algorithm>

#include "icd/enqueue_address.h"
#include "icd/entry.h"
#include "platform/model/host_allocations.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr auto kUnified = HostAllocations::Kind::kUnified;

// No page is larger.
constexpr cl_uint kLargestAlignment = 2 << 20;

// The flags of a property list; 0 for none.
cl_mem_alloc_flags_intel allocation_flags(const cl_mem_properties_intel* properties,
                                          cl_mem_alloc_flags_intel allowed) {
  cl_mem_alloc_flags_intel flags = 0;
  bool seen = false;
  for (; properties && properties[0]; properties += 2) {
    require(properties[0] == CL_MEM_ALLOC_FLAGS_INTEL && !seen, CL_INVALID_PROPERTY,
            "an unknown property of an allocation, or one that is given twice");
    flags = properties[1];
    seen = true;
  }
  constexpr cl_mem_alloc_flags_intel both =
      CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
  require(!(flags & ~allowed) && (flags & both) != both, CL_INVALID_PROPERTY,
          "flags that this kind of allocation does not have, or that exclude each other");
  return flags;
}

// What distinguishes the kinds of allocations.
struct AllocationKind {
  cl_unified_shared_memory_type_intel type;
  bool needs_device;
  cl_mem_alloc_flags_intel flags;  // that it may have
};
constexpr AllocationKind kHost = {CL_MEM_TYPE_HOST_INTEL, false, CL_MEM_ALLOC_WRITE_COMBINED_INTEL};
constexpr AllocationKind kDevice = {CL_MEM_TYPE_DEVICE_INTEL, true,
                                    CL_MEM_ALLOC_WRITE_COMBINED_INTEL};
constexpr AllocationKind kShared = {CL_MEM_TYPE_SHARED_INTEL, false,
                                    CL_MEM_ALLOC_WRITE_COMBINED_INTEL |
                                        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL |
                                        CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL};

void* allocate(const AllocationKind& kind, cl_context handle, cl_device_id device_handle,
               const cl_mem_properties_intel* properties, size_t size, cl_uint alignment) {
  Context& c = context(handle);
  AllocationUse use;
  use.type = kind.type;
  if (kind.needs_device || device_handle) {
    use.device = Ref<Device>(&device(device_handle));
    require(c.has(*use.device), CL_INVALID_DEVICE, "a device of another context");
  }
  use.flags = allocation_flags(properties, kind.flags);
  require(size > 0 && size <= Device::max_allocation(), CL_INVALID_BUFFER_SIZE,
          "0 bytes, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  require(!(alignment & (alignment - 1)) && alignment <= kLargestAlignment, CL_INVALID_VALUE,
          "the alignment is no power of two, or above 2 MiB");
  try {
    return c.allocations().allocate(std::move(use), 0, size, std::max<size_t>(alignment, 1));
  } catch (const Error& error) {
    // The extension does not know the code of memory objects.
    if (error.code() != CL_MEM_OBJECT_ALLOCATION_FAILURE) throw;
    throw Error(CL_OUT_OF_RESOURCES, error.text());
  }
}

void free(Context& c, void* memory) {
  require(!memory || c.allocations().free(memory, kUnified), CL_INVALID_VALUE,
          "the address is not that of an allocation of the context");
}

}  // namespace

extern "C" {

CL_API_ENTRY void* CL_API_CALL clHostMemAllocINTEL(cl_context handle,
                                                   const cl_mem_properties_intel* properties,
                                                   size_t size, cl_uint alignment, cl_int* code) {
  return create(__func__, code,
                [&] { return allocate(kHost, handle, nullptr, properties, size, alignment); });
}

CL_API_ENTRY void* CL_API_CALL clDeviceMemAllocINTEL(cl_context handle, cl_device_id device,
                                                     const cl_mem_properties_intel* properties,
                                                     size_t size, cl_uint alignment, cl_int* code) {
  return create(__func__, code,
                [&] { return allocate(kDevice, handle, device, properties, size, alignment); });
}

CL_API_ENTRY void* CL_API_CALL clSharedMemAllocINTEL(cl_context handle, cl_device_id device,
                                                     const cl_mem_properties_intel* properties,
                                                     size_t size, cl_uint alignment, cl_int* code) {
  return create(__func__, code,
                [&] { return allocate(kShared, handle, device, properties, size, alignment); });
}

CL_API_ENTRY cl_int CL_API_CALL clMemFreeINTEL(cl_context handle, void* memory) {
  return guarded(__func__, [&] { free(any_context(handle), memory); });
}

CL_API_ENTRY cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context handle, void* memory) {
  return guarded(__func__, [&] {
    Context& c = any_context(handle);
    require_own_process();
    c.finish_queues();
    free(c, memory);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context handle, const void* address,
                                                       cl_mem_info_intel name, size_t size,
                                                       void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    auto allocation = any_context(handle).allocations().find(address);
    if (allocation && allocation->use.type == CL_MEM_TYPE_UNKNOWN_INTEL) allocation = nullptr;
    Info info(size, value, size_ret);
    switch (name) {
      case CL_MEM_ALLOC_TYPE_INTEL:
        return info.value<cl_unified_shared_memory_type_intel>(
            allocation ? allocation->use.type : CL_MEM_TYPE_UNKNOWN_INTEL);
      case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return info.value<const void*>(allocation ? allocation->bytes : nullptr);
      case CL_MEM_ALLOC_SIZE_INTEL:
        return info.value<size_t>(allocation ? allocation->size : 0);
      case CL_MEM_ALLOC_DEVICE_INTEL:
        return info.value<cl_device_id>(
            allocation && allocation->use.device ? allocation->use.device->handle() : nullptr);
      case CL_MEM_ALLOC_FLAGS_INTEL:
        return info.value<cl_mem_alloc_flags_intel>(allocation ? allocation->use.flags : 0);
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue handle, void* to,
                                                      const void* pattern, size_t pattern_size,
                                                      size_t size, cl_uint num_events,
                                                      const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    enqueue_address_fill(CL_COMMAND_MEMFILL_INTEL, handle, to, pattern, pattern_size, size,
                         {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemsetINTEL(cl_command_queue handle, void* to,
                                                     cl_int value, size_t size, cl_uint num_events,
                                                     const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    const auto byte = static_cast<cl_uchar>(value);
    enqueue_address_fill(CL_COMMAND_MEMFILL_INTEL, handle, to, &byte, sizeof byte, size,
                         {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue handle, cl_bool blocking,
                                                     void* to, const void* from, size_t size,
                                                     cl_uint num_events, const cl_event* events,
                                                     cl_event* out) {
  return guarded(__func__, [&] {
    enqueue_address_copy(CL_COMMAND_MEMCPY_INTEL, handle, blocking, to, from, size,
                         {num_events, events, out});
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue handle, const void* from,
                                                         size_t, cl_mem_migration_flags flags,
                                                         cl_uint num_events, const cl_event* events,
                                                         cl_event* out) {
  return guarded(__func__, [&] {
    queue(handle);
    require(from, CL_INVALID_VALUE, "no address");
    check_migration_flags(flags);
    enqueue_nothing(CL_COMMAND_MIGRATEMEM_INTEL, handle, CL_FALSE, {num_events, events, out});
  });
}

// There is no advice that would make a difference.
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue handle, const void* from,
                                                        size_t, cl_mem_advice_intel,
                                                        cl_uint num_events, const cl_event* events,
                                                        cl_event* out) {
  return guarded(__func__, [&] {
    queue(handle);
    require(from, CL_INVALID_VALUE, "no address");
    enqueue_nothing(CL_COMMAND_MEMADVISE_INTEL, handle, CL_FALSE, {num_events, events, out});
  });
}

}  // extern "C"
