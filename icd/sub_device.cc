// SPDX-License-Identifier: Apache-2.0
// Sub-devices, in the terms of OpenCL 1.2 and in those of cl_ext_device_fission.
#include <CL/cl_ext_conclave.h>

#include "icd/device_info.h"
#include "platform/model/partition.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

struct Domain {
  cl_device_affinity_domain core;
  cl_device_partition_property_ext extension;
};
constexpr Domain kDomains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_AFFINITY_DOMAIN_NUMA_EXT},
    {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_AFFINITY_DOMAIN_L4_CACHE_EXT},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_AFFINITY_DOMAIN_L3_CACHE_EXT},
    {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_AFFINITY_DOMAIN_L2_CACHE_EXT},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_AFFINITY_DOMAIN_L1_CACHE_EXT},
    {CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT}};

// 0, which is no domain, for one that the extension does not know.
cl_device_affinity_domain core_domain(cl_device_partition_property_ext extension) {
  for (const Domain& domain : kDomains)
    if (domain.extension == extension) return domain.core;
  return 0;
}

// The property list of cl_ext_device_fission in the terms of OpenCL 1.2.
std::vector<cl_device_partition_property> core_properties(
    const cl_device_partition_property_ext* list) {
  require(list, CL_INVALID_VALUE, "no partition properties");
  std::vector<cl_device_partition_property> core;
  switch (list[0]) {
    case CL_DEVICE_PARTITION_EQUALLY_EXT:
      return {CL_DEVICE_PARTITION_EQUALLY, cl_device_partition_property(list[1]), 0};
    case CL_DEVICE_PARTITION_BY_COUNTS_EXT:
      core.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
      while (*++list != CL_PARTITION_BY_COUNTS_LIST_END_EXT)
        core.push_back(cl_device_partition_property(*list));
      core.insert(core.end(), 2, 0);
      return core;
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
      return {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
              cl_device_partition_property(core_domain(list[1])), 0};
    case CL_DEVICE_PARTITION_BY_NAMES_EXT:
      core.push_back(CL_DEVICE_PARTITION_BY_NAMES_EXT);
      while (*++list != CL_PARTITION_BY_NAMES_LIST_END_EXT)
        core.push_back(cl_device_partition_property(*list));
      core.push_back(CL_PARTITION_BY_NAMES_LIST_END_EXT);
      core.push_back(0);
      return core;
    default:
      throw Error(CL_INVALID_VALUE, "unknown partition type of cl_ext_device_fission");
  }
}

// And back, for CL_DEVICE_PARTITION_STYLE_EXT.
std::vector<cl_device_partition_property_ext> extension_properties(
    const std::vector<cl_device_partition_property>& core) {
  std::vector<cl_device_partition_property_ext> list(core.begin(), core.end());
  if (list.empty()) return list;
  if (core[0] == CL_DEVICE_PARTITION_EQUALLY) list[0] = CL_DEVICE_PARTITION_EQUALLY_EXT;
  if (core[0] == CL_DEVICE_PARTITION_BY_COUNTS) list[0] = CL_DEVICE_PARTITION_BY_COUNTS_EXT;
  if (core[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) {
    list[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT;
    for (const Domain& domain : kDomains)
      if (domain.core == static_cast<cl_device_affinity_domain>(core[1]))
        list[1] = domain.extension;
  }
  return list;
}

// The ways in which `device` can be partitioned; none for one compute unit.
std::vector<cl_device_partition_property> partition_types(const Device& device) {
  if (device.units().size() == 1) return {0};
  std::vector<cl_device_partition_property> types = {
      CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
      cl_device_partition_property(CL_DEVICE_PARTITION_BY_NAMES_EXT)};
  if (affinity_domains(device.units()) != 0)
    types.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
  return types;
}

std::vector<cl_device_partition_property_ext> extension_types(const Device& device) {
  std::vector<cl_device_partition_property_ext> types = {CL_DEVICE_PARTITION_EQUALLY_EXT,
                                                         CL_DEVICE_PARTITION_BY_COUNTS_EXT,
                                                         CL_DEVICE_PARTITION_BY_NAMES_EXT};
  if (affinity_domains(device.units()) != 0)
    types.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT);
  return types;
}

std::vector<cl_device_partition_property_ext> extension_domains(const Device& device) {
  std::vector<cl_device_partition_property_ext> domains;
  const cl_device_affinity_domain all = affinity_domains(device.units());
  for (const Domain& domain : kDomains)
    if (all & domain.core) domains.push_back(domain.extension);
  return domains;
}

}  // namespace

bool icd::describe_partition(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return info.value<cl_uint>(static_cast<cl_uint>(device.units().size())), true;
    case CL_DEVICE_PARTITION_PROPERTIES:
      return info.list(partition_types(device)), true;
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
      return info.value(affinity_domains(device.units())), true;
    case CL_DEVICE_PARTITION_TYPE:
      return info.list(device.partition()), true;
    case CL_DEVICE_PARENT_DEVICE:
      return info.value<cl_device_id>(device.parent() ? device.parent()->handle() : nullptr), true;
    case CL_DEVICE_REFERENCE_COUNT_EXT:
    case CL_DEVICE_REFERENCE_COUNT:
      return info.value<cl_uint>(device.parent() ? device.handles() : 1), true;
    // The same in the terms of cl_ext_device_fission.
    case CL_DEVICE_PARTITION_TYPES_EXT:
      return info.list(extension_types(device)), true;
    case CL_DEVICE_AFFINITY_DOMAINS_EXT:
      return info.list(extension_domains(device)), true;
    case CL_DEVICE_PARTITION_STYLE_EXT:
      return info.list(extension_properties(device.partition())), true;
    case CL_DEVICE_PARENT_DEVICE_EXT:
      return info.value<cl_device_id>(device.parent() ? device.parent()->handle() : nullptr), true;
    default:
      return false;
  }
}

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id handle,
                                                   const cl_device_partition_property* properties,
                                                   cl_uint num_entries, cl_device_id* out,
                                                   cl_uint* num_devices) {
  return guarded(__func__, [&] {
    Device& parent = device(handle);
    size_t count = parent.count_parts(properties);
    if (out) {
      require(num_entries >= count, CL_INVALID_VALUE, "not enough room for the sub-devices");
      std::vector<Ref<Device>> parts = parent.split(properties);
      for (size_t i = 0; i < count; ++i) out[i] = parts[i]->handle();
    }
    if (num_devices) *num_devices = static_cast<cl_uint>(count);
  });
}

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevicesEXT(cl_device_id handle, const cl_device_partition_property_ext* properties,
                      cl_uint num_entries, cl_device_id* out, cl_uint* num_devices) {
  std::vector<cl_device_partition_property> core;
  cl_int status = guarded(__func__, [&] { core = core_properties(properties); });
  if (status != CL_SUCCESS) return status;
  status = clCreateSubDevices(handle, core.data(), num_entries, out, num_devices);
  // The extension has codes of its own.
  const bool named = core[0] == cl_device_partition_property(CL_DEVICE_PARTITION_BY_NAMES_EXT);
  if (status == CL_DEVICE_PARTITION_FAILED) return CL_DEVICE_PARTITION_FAILED_EXT;
  if (status == CL_INVALID_DEVICE_PARTITION_COUNT) return CL_INVALID_PARTITION_COUNT_EXT;
  if (status == CL_INVALID_VALUE && named) return CL_INVALID_PARTITION_NAME_EXT;
  return status;
}

}  // extern "C"
