// SPDX-License-Identifier: Apache-2.0
#include "icd/memory_flags.h"

#include <CL/cl_ext_conclave.h>

#include <string>

#include "platform/base/checked_size.h"
#include "platform/base/error.h"

namespace conclave::icd {
namespace {

constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags kHostAccess =
    CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostPointer =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool at_most_one(cl_mem_flags bits) {
  return (bits & (bits - 1)) == 0;
}

}  // namespace

void check_memory_flags(cl_mem_flags flags) {
  require(!(flags & ~(kKernelAccess | kHostAccess | kHostPointer | CL_MEM_USE_MSMC_TI)),
          CL_INVALID_VALUE, "unknown or unsupported memory flags");
  require(at_most_one(flags & kKernelAccess), CL_INVALID_VALUE,
          "read-write, read-only and write-only exclude each other");
  require(at_most_one(flags & kHostAccess), CL_INVALID_VALUE,
          "the host access flags exclude each other");
  require(
      !(flags & CL_MEM_USE_HOST_PTR) || !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)),
      CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR excludes the other host-pointer flags");
  require(!(flags & CL_MEM_USE_HOST_PTR) || !(flags & CL_MEM_USE_MSMC_TI), CL_INVALID_VALUE,
          "what is in the host's memory (CL_MEM_USE_HOST_PTR) is not in msmc_heap");
}

void check_image_format_flags(cl_mem_flags flags) {
  // A question about formats, not a property of an object.
  check_memory_flags(flags & ~cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE});
}

void check_derived_flags(cl_mem_flags flags, cl_mem_flags parent) {
  check_memory_flags(flags);
  require(!(flags & kHostPointer), CL_INVALID_VALUE,
          "what is made from a memory object takes no host-pointer flags");
  require(!(flags & ~parent & CL_MEM_USE_MSMC_TI), CL_INVALID_VALUE,
          "a sub-buffer is where its parent is, which is not in msmc_heap");
  const cl_mem_flags access = flags & kKernelAccess, host = flags & kHostAccess;
  const bool bad_access = ((parent & CL_MEM_WRITE_ONLY) && (access & ~CL_MEM_WRITE_ONLY)) ||
                          ((parent & CL_MEM_READ_ONLY) && (access & ~CL_MEM_READ_ONLY));
  const bool bad_host = ((parent & CL_MEM_HOST_WRITE_ONLY) && (host & CL_MEM_HOST_READ_ONLY)) ||
                        ((parent & CL_MEM_HOST_READ_ONLY) && (host & CL_MEM_HOST_WRITE_ONLY)) ||
                        ((parent & CL_MEM_HOST_NO_ACCESS) && (host & ~CL_MEM_HOST_NO_ACCESS));
  require(!bad_access && !bad_host, CL_INVALID_VALUE,
          "the flags ask for access that the memory object does not allow");
}

void check_host_pointer(cl_mem_flags flags, const void* host, size_t size) {
  const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  require(wants_host == (host != nullptr), CL_INVALID_HOST_PTR,
          "host_ptr and the flags do not agree");
  require((CheckedSize(size) + reinterpret_cast<uintptr_t>(host)).fits(), CL_INVALID_HOST_PTR,
          "host_ptr is nearer to the end of all addresses than the object's size");
}

std::vector<cl_mem_properties> memory_properties(const cl_mem_properties* properties) {
  if (!properties) return {};
  if (properties[0] != 0)
    throw Error(CL_INVALID_PROPERTY,
                "unknown property " + std::to_string(properties[0]) + " of a memory object");
  return {0};
}

bool is_set(const std::vector<cl_mem_properties>& properties, cl_mem_properties name) {
  for (size_t i = 0; i + 1 < properties.size() && properties[i]; i += 2)
    if (properties[i] == name) return properties[i + 1] != CL_FALSE;
  return false;
}

std::vector<cl_mem_properties> buffer_properties(const cl_mem_properties* properties) {
  if (!properties || properties[0] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT)
    return memory_properties(properties);
  require(properties[1] == CL_TRUE || properties[1] == CL_FALSE, CL_INVALID_PROPERTY,
          "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is neither CL_TRUE nor CL_FALSE");
  std::vector<cl_mem_properties> list = {properties[0], properties[1]};
  const std::vector<cl_mem_properties> rest = memory_properties(properties + 2);
  list.insert(list.end(), rest.begin(), rest.end());
  return list;
}

}  // namespace conclave::icd
