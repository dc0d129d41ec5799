// SPDX-License-Identifier: Apache-2.0
// Checks of the flags and properties with which memory objects are created.
#ifndef CONCLAVE_ICD_MEMORY_FLAGS_H_
#define CONCLAVE_ICD_MEMORY_FLAGS_H_

#include <CL/cl.h>

#include <optional>
#include <vector>

namespace conclave::icd {

// Throws Error{CL_INVALID_VALUE} for unknown flags, and for flags that exclude each other.
void check_memory_flags(cl_mem_flags flags);

// The same for the flags of clGetSupportedImageFormats.
void check_image_format_flags(cl_mem_flags flags);

// An object in the storage of a memory object (a sub-buffer or an image) takes no storage flags and
// must not ask for access that the memory object does not allow. Throws Error{CL_INVALID_VALUE}.
void check_derived_flags(cl_mem_flags flags, cl_mem_flags parent);

// Throws Error{CL_INVALID_HOST_PTR} if there is a host pointer without a flag that needs one, or
// the other way round, or if no `size` bytes can begin there.
void check_host_pointer(cl_mem_flags flags, const void* host, size_t size);

// What a property list says of a memory object.
struct MemoryProperties {
  std::vector<cl_mem_properties> list;  // with its terminating 0; empty if there is no list
  bool has_address = false;             // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
  std::optional<int> descriptor;        // CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
  std::optional<std::vector<cl_device_id>> devices;  // CL_MEM_DEVICE_HANDLE_LIST_KHR
};

// Reads the list of a buffer or image. Throws Error{CL_INVALID_PROPERTY} for unknown properties and
// wrong values, and for what is given twice. Only buffers may have a device address.
MemoryProperties memory_properties(const cl_mem_properties* properties, bool is_buffer);
// The same for a list that has been checked.
MemoryProperties known_properties(const std::vector<cl_mem_properties>& list);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_MEMORY_FLAGS_H_
