// SPDX-License-Identifier: Apache-2.0
#include "icd/memory_flags.h"

#include <CL/cl_ext_conclave.h>

#include <string>
#include <utility>

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

MemoryProperties memory_properties(const cl_mem_properties* at, bool is_buffer) {
  MemoryProperties properties;
  if (!at) return properties;
  const cl_mem_properties* begin = at;
  bool has_address = false;
  for (; *at; ++at) {
    const cl_mem_properties name = *at++;
    bool is_new = true;
    if (name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && is_buffer) {
      is_new = !std::exchange(has_address, true);
      require(*at == CL_TRUE || *at == CL_FALSE, CL_INVALID_PROPERTY,
              "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is neither CL_TRUE nor CL_FALSE");
      properties.has_address = *at == CL_TRUE;
    } else if (name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR) {
      is_new = !properties.descriptor;
      properties.descriptor = static_cast<int>(*at);
    } else if (name == CL_MEM_DEVICE_HANDLE_LIST_KHR) {
      is_new = !properties.devices;
      properties.devices.emplace();
      for (; *at; ++at) properties.devices->push_back(reinterpret_cast<cl_device_id>(*at));
    } else {
      throw Error(CL_INVALID_PROPERTY,
                  "unknown property " + std::to_string(name) + " of a memory object");
    }
    require(is_new, CL_INVALID_PROPERTY, "a property that is given twice");
  }
  properties.list.assign(begin, at + 1);
  return properties;
}

MemoryProperties known_properties(const std::vector<cl_mem_properties>& list) {
  return memory_properties(list.empty() ? nullptr : list.data(), true);
}

}  // namespace conclave::icd
