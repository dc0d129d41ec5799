// SPDX-License-Identifier: Apache-2.0
// Checks of the flags and properties with which memory objects are created.
#ifndef CONCLAVE_ICD_MEMORY_FLAGS_H_
#define CONCLAVE_ICD_MEMORY_FLAGS_H_

#include <CL/cl.h>

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

// The properties, with their terminating 0; empty if there is no list. OpenCL 3.0 defines none:
// throws Error{CL_INVALID_PROPERTY} for any.
std::vector<cl_mem_properties> memory_properties(const cl_mem_properties* properties);
// The same for buffers, which may have CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.
std::vector<cl_mem_properties> buffer_properties(const cl_mem_properties* properties);
// Whether a property of a checked list is there and not CL_FALSE.
bool is_set(const std::vector<cl_mem_properties>& properties, cl_mem_properties name);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_MEMORY_FLAGS_H_
