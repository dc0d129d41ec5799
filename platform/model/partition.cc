// SPDX-License-Identifier: Apache-2.0
#include "platform/model/partition.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <string>

#include "platform/base/config.h"
#include "platform/base/cpu_domains.h"
#include "platform/base/error.h"
#include "platform/share/unit_placement.h"

namespace conclave {
namespace {

using Property = cl_device_partition_property;

constexpr Property kByNames = static_cast<Property>(CL_DEVICE_PARTITION_BY_NAMES_EXT);
constexpr Property kNamesEnd = static_cast<Property>(CL_PARTITION_BY_NAMES_LIST_END_EXT);

std::vector<std::vector<uint32_t>> equal_parts(const std::vector<uint32_t>& units, size_t each) {
  require(each > 0, CL_INVALID_VALUE, "CL_DEVICE_PARTITION_EQUALLY: 0 compute units a sub-device");
  if (each >= units.size())
    throw Error(
        each > units.size() ? CL_INVALID_DEVICE_PARTITION_COUNT : CL_DEVICE_PARTITION_FAILED,
        "sub-devices of " + std::to_string(each) + " compute units: the device has " +
            std::to_string(units.size()));
  std::vector<std::vector<uint32_t>> parts;
  for (size_t first = 0; first + each <= units.size(); first += each)
    parts.emplace_back(units.begin() + first, units.begin() + first + each);
  return parts;
}

std::vector<std::vector<uint32_t>> counted_parts(const std::vector<uint32_t>& units,
                                                 const Property* counts) {
  std::vector<std::vector<uint32_t>> parts;
  size_t first = 0;
  for (; *counts != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++counts) {
    if (*counts < 0 || static_cast<size_t>(*counts) > units.size() - first)
      throw Error(CL_INVALID_DEVICE_PARTITION_COUNT,
                  "CL_DEVICE_PARTITION_BY_COUNTS: " + std::to_string(*counts) +
                      " compute units asked for, " + std::to_string(units.size() - first) +
                      " left of " + std::to_string(units.size()));
    parts.emplace_back(units.begin() + first, units.begin() + first + *counts);
    first += *counts;
  }
  require(!parts.empty(), CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_COUNTS: no counts");
  return parts;
}

// One sub-device of the named compute units (cl_ext_device_fission): names are the device's
// indices.
std::vector<std::vector<uint32_t>> named_part(const std::vector<uint32_t>& units,
                                              const Property* names) {
  std::vector<uint32_t> part;
  for (; *names != kNamesEnd; ++names) {
    auto unit = std::find(units.begin(), units.end(), static_cast<uint32_t>(*names));
    if (*names < 0 || unit == units.end() ||
        std::find(part.begin(), part.end(), *unit) != part.end())
      throw Error(CL_INVALID_VALUE, "compute unit " + std::to_string(*names) +
                                        " is not in the device or named twice");
    part.push_back(*unit);
  }
  require(!part.empty(), CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_NAMES_EXT: no names");
  std::sort(part.begin(), part.end());
  return {part};
}

struct Domain {
  cl_device_affinity_domain property;
  CpuDomain domain;
};

// In the order of CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE.
constexpr Domain kDomains[] = {{CL_DEVICE_AFFINITY_DOMAIN_NUMA, CpuDomain::kNumaNode},
                               {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CpuDomain::kL4Cache},
                               {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CpuDomain::kL3Cache},
                               {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CpuDomain::kL2Cache},
                               {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CpuDomain::kL1Cache}};

// The parts of `units` that share a node or a cache: one part where they all do, or where the
// compute units are on no CPUs of their own.
std::vector<std::vector<uint32_t>> affine_parts(const std::vector<uint32_t>& units,
                                                CpuDomain domain) {
  const std::vector<share::UnitPlacement> placement =
      share::place_units(Config::get().compute_units);
  std::vector<int> cpus;
  for (uint32_t unit : units) cpus.push_back(placement[unit].cpu);
  std::vector<std::vector<uint32_t>> parts;
  if (std::find(cpus.begin(), cpus.end(), -1) != cpus.end()) return {units};
  for (const std::vector<size_t>& group : group_by_domain(cpus, domain)) {
    parts.emplace_back();
    for (size_t index : group) parts.back().push_back(units[index]);
  }
  if (parts.empty()) return {units};
  return parts;
}

// The property of the first domain among `wanted` that makes more than one part of `units`.
// Throws Error if there is none.
Domain dividing_domain(const std::vector<uint32_t>& units, cl_device_affinity_domain wanted) {
  constexpr cl_device_affinity_domain kNext = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  bool known = false;
  for (const Domain& domain : kDomains) {
    if (wanted != domain.property && wanted != kNext) continue;
    known = true;
    if (affine_parts(units, domain.domain).size() > 1) return domain;
  }
  if (!known)
    throw Error(CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: " +
                                      std::to_string(wanted) + " is no domain");
  throw Error(CL_DEVICE_PARTITION_FAILED,
              "the device's compute units all share that domain, or are on no CPUs of their own");
}

// Number of list elements up to and with the terminating zero.
size_t list_length(const Property* properties) {
  size_t n = 0;
  const bool names = properties[0] == kByNames;
  // The list of names may contain a zero; it ends with -1.
  if (names)
    while (properties[n] != kNamesEnd) ++n;
  else if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS)
    for (n = 1; properties[n] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;) ++n;
  else
    n = 1;
  return n + 2;
}

}  // namespace

std::vector<std::vector<uint32_t>> parts_of(const std::vector<uint32_t>& units,
                                            const Property* properties) {
  require(properties != nullptr, CL_INVALID_VALUE, "no partition properties");
  const bool known = properties[0] == CL_DEVICE_PARTITION_EQUALLY ||
                     properties[0] == CL_DEVICE_PARTITION_BY_COUNTS ||
                     properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN ||
                     properties[0] == kByNames;
  if (known && units.size() == 1)
    throw Error(CL_DEVICE_PARTITION_FAILED, "one compute unit cannot be partitioned");
  switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:
      require(properties[1] > 0, CL_INVALID_VALUE, "CL_DEVICE_PARTITION_EQUALLY: no count");
      require(properties[2] == 0, CL_INVALID_VALUE, "partition properties do not end with 0");
      return equal_parts(units, static_cast<size_t>(properties[1]));
    case CL_DEVICE_PARTITION_BY_COUNTS:
      return counted_parts(units, properties + 1);
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
      require(properties[2] == 0, CL_INVALID_VALUE, "partition properties do not end with 0");
      return affine_parts(
          units,
          dividing_domain(units, static_cast<cl_device_affinity_domain>(properties[1])).domain);
    case kByNames:
      return named_part(units, properties + 1);
    default:
      throw Error(CL_INVALID_VALUE,
                  "partition type " + std::to_string(properties[0]) + " is not supported");
  }
}

std::vector<Property> partition_of(const std::vector<uint32_t>& units, const Property* properties) {
  std::vector<Property> list(properties, properties + list_length(properties));
  if (list[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
    list[1] = static_cast<Property>(
        dividing_domain(units, static_cast<cl_device_affinity_domain>(list[1])).property);
  return list;
}

cl_device_affinity_domain affinity_domains(const std::vector<uint32_t>& units) {
  cl_device_affinity_domain all = 0;
  for (const Domain& domain : kDomains)
    if (affine_parts(units, domain.domain).size() > 1)
      all |= domain.property | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  return all;
}

}  // namespace conclave
