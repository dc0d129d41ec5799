// SPDX-License-Identifier: Apache-2.0
// Buffers and sub-buffers, and what buffers and images have in common.
#include <CL/cl_ext_conclave.h>

#include <cstring>

#include "icd/entry.h"
#include "icd/external_memory.h"
#include "icd/memory_flags.h"
#include "platform/model/host_allocations.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// A buffer that xclGetMemObjectFd() can give to other processes: shared from its first byte on,
// since afterwards kernels may use it at any time.
cl_mem make_shared_buffer(Context& c, cl_mem_flags flags, size_t size, const void* host) {
  require(!(flags & CL_MEM_USE_HOST_PTR), CL_INVALID_VALUE,
          "the host's own memory (CL_MEM_USE_HOST_PTR) cannot be shared");
  SharedStorage storage(size);
  storage.share();
  if (flags & CL_MEM_COPY_HOST_PTR) std::memcpy(storage.data(), host, size);
  return (new Memory(c, flags, std::move(storage)))->handle();
}

void check_buffer_size(size_t size) {
  if (size == 0 || size > Device::max_allocation())
    throw Error(CL_INVALID_BUFFER_SIZE, "a buffer of " + std::to_string(size) + " bytes: 1 to " +
                                            std::to_string(Device::max_allocation()) +
                                            " are allowed");
}

// A buffer in memory from outside, perhaps the beginning of it.
cl_mem make_external_buffer(Context& c, MemoryProperties properties, cl_mem_flags flags,
                            size_t size, const void* host) {
  return make_external(c, properties, flags, host, [&](SharedStorage storage) {
    check_buffer_size(size);
    if (size > storage.size())
      throw Error(CL_INVALID_BUFFER_SIZE, "a buffer of " + std::to_string(size) +
                                              " bytes in external memory of " +
                                              std::to_string(storage.size()));
    return (new Memory(c, flags, std::move(storage), size, properties.list))->handle();
  });
}

cl_mem make_buffer(cl_context context_handle, std::vector<cl_mem_properties> properties,
                   cl_mem_flags flags, size_t size, void* host) {
  Context& c = context(context_handle);
  bool is_shared = false;
  if (flags & CL_MEM_EXT_PTR_XILINX) {
    require(host, CL_INVALID_HOST_PTR, "no cl_mem_ext_ptr_t");
    const auto& extension = *static_cast<const cl_mem_ext_ptr_t*>(host);
    is_shared = extension.flags & XCL_MEM_EXT_P2P_BUFFER;
    host = extension.obj;
    flags &= ~CL_MEM_EXT_PTR_XILINX;
  }
  check_memory_flags(flags);
  check_buffer_size(size);
  check_host_pointer(flags, host, size);
  if (flags & CL_MEM_USE_HOST_PTR)
    if (const auto svm = c.allocations().find(host))
      require(svm->contains(host, size), CL_INVALID_BUFFER_SIZE,
              "the buffer is larger than the shared memory behind host_ptr");
  if (is_shared) return make_shared_buffer(c, flags, size, host);
  return (new Memory(c, flags, size, host, std::move(properties)))->handle();
}

// The same for each device. A sub-buffer has an address if its parent has one.
std::vector<cl_mem_device_address_ext> device_addresses(const Memory& m) {
  const auto& properties = (m.parent() ? *m.parent() : m).properties();
  require(!m.image() && known_properties(properties).has_address, CL_INVALID_OPERATION,
          "the buffer was created without CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
  return std::vector<cl_mem_device_address_ext>(m.context().devices().size(),
                                                reinterpret_cast<uintptr_t>(m.data()));
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context_handle, cl_mem_flags flags,
                                               size_t size, void* host, cl_int* code) {
  return create(__func__, code, [&] { return make_buffer(context_handle, {}, flags, size, host); });
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context_handle,
                                                             const cl_mem_properties* properties,
                                                             cl_mem_flags flags, size_t size,
                                                             void* host, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(context_handle);
    MemoryProperties checked = memory_properties(properties, true);
    if (checked.descriptor) return make_external_buffer(c, std::move(checked), flags, size, host);
    check_devices(c, checked);
    return make_buffer(context_handle, std::move(checked.list), flags, size, host);
  });
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem handle, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void* value,
                                                  cl_int* code) {
  return create(__func__, code, [&] {
    Memory& parent = buffer(handle);
    require_usable(parent.context());
    require(!parent.parent(), CL_INVALID_MEM_OBJECT, "a sub-buffer has no sub-buffers");
    check_derived_flags(flags, parent.flags());
    require(type == CL_BUFFER_CREATE_TYPE_REGION && value, CL_INVALID_VALUE, "not a region");
    const auto& region = *static_cast<const cl_buffer_region*>(value);
    require(region.size != 0, CL_INVALID_BUFFER_SIZE, "a sub-buffer of 0 bytes");
    require(region.origin <= parent.size() && region.size <= parent.size() - region.origin,
            CL_INVALID_VALUE, "the region does not lie in the buffer");
    require(region.origin % Device::kMemoryAlignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET,
            "the origin is not a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN");
    return (new Memory(parent, flags, region.origin, region.size))->handle();
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem handle) {
  return guarded(__func__, [&] { memory(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem handle) {
  return guarded(__func__, [&] { release(memory(handle), CL_INVALID_MEM_OBJECT); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem handle, cl_mem_info name, size_t size,
                                                   void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    Memory& m = memory(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_MEM_TYPE:
        return info.value<cl_mem_object_type>(m.type());
      case CL_MEM_FLAGS:
        return info.value<cl_mem_flags>(m.flags());
      case CL_MEM_SIZE:
        return info.value<size_t>(m.size());
      case CL_MEM_HOST_PTR:
        return info.value<void*>(m.host_pointer());
      case CL_MEM_MAP_COUNT:
        return info.value<cl_uint>(m.map_count());
      case CL_MEM_REFERENCE_COUNT:
        return info.value<cl_uint>(m.handles());
      case CL_MEM_CONTEXT:
        return info.value<cl_context>(m.context().handle());
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        return info.value<cl_mem>(m.parent() ? m.parent()->handle() : nullptr);
      case CL_MEM_OFFSET:
        return info.value<size_t>(m.origin());
      case CL_MEM_USES_SVM_POINTER:
        return info.flag(!m.image() && m.host_pointer());  // any host memory is such
      case CL_MEM_DEVICE_ADDRESS_EXT:
        return info.list(device_addresses(m));
      case CL_MEM_PROPERTIES:
        return info.list(m.properties());
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem handle,
                                                                 Memory::Destructor function,
                                                                 void* user_data) {
  return guarded(__func__, [&] {
    Memory& m = memory(handle);
    require(function, CL_INVALID_VALUE, "no callback");
    m.add_destructor(function, user_data);
  });
}

}  // extern "C"
