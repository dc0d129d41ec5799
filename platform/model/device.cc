// SPDX-License-Identifier: Apache-2.0
#include "platform/model/device.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <atomic>

#include "platform/base/config.h"
#include "platform/base/cpu_info.h"
#include "platform/base/error.h"
#include "platform/share/share.h"

namespace conclave {

Device& Device::root() {
  static Device* device = new Device;
  return *device;
}

Device::Device() : units_(Config::get().compute_unit_list) {
  for (uint32_t unit : units_) set_.add(unit);
}

Device::Device(Device& parent, std::vector<uint32_t> units,
               std::vector<cl_device_partition_property> partition)
    : parent_(&parent), units_(std::move(units)), partition_(std::move(partition)) {
  for (uint32_t unit : units_) set_.add(unit);
}

bool Device::is_within(const Device& other) const {
  for (const Device* device = this; device; device = device->parent())
    if (device == &other) return true;
  return false;
}

namespace {

// What the device became in this process; 0: nobody has it yet.
std::atomic<cl_device_type> settled_type{0};

cl_device_type known_types() {
  const cl_device_type configured = Config::get().device_type;
  return configured ? configured : settled_type.load(std::memory_order_relaxed);
}

}  // namespace

cl_device_type Device::type() {
  const cl_device_type types = known_types();
  return types ? types & -types : CL_DEVICE_TYPE_CPU;
}

bool Device::has_type(cl_device_type types) {
  const cl_device_type known = known_types();
  return types & (CL_DEVICE_TYPE_DEFAULT |
                  (known ? known : CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR));
}

bool Device::settle_type(cl_device_type types) {
  if (!has_type(types)) return false;
  const bool is_cpu = types & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT);
  cl_device_type nobodys = 0;
  settled_type.compare_exchange_strong(nobodys,
                                       is_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_ACCELERATOR);
  return has_type(types);
}

std::string Device::name() {
  return "Conclave on " + CpuInfo::get().model;
}

std::string Device::configuration_errors() {
  std::string text;
  for (const std::string& error : Config::get().errors) text += (text.empty() ? "" : "; ") + error;
  return text;
}

bool Device::available() {
  try {
    return Config::get().errors.empty() && share::Share::get().exclusive_holder().empty();
  } catch (const Error&) {  // no segment: clCreateContext tells why
    return false;
  }
}

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

std::vector<std::vector<uint32_t>> Device::parts(const Property* properties) const {
  require(properties != nullptr, CL_INVALID_VALUE, "no partition properties");
  const bool known = properties[0] == CL_DEVICE_PARTITION_EQUALLY ||
                     properties[0] == CL_DEVICE_PARTITION_BY_COUNTS || properties[0] == kByNames;
  if (known && units_.size() == 1)
    throw Error(CL_DEVICE_PARTITION_FAILED, "one compute unit cannot be partitioned");
  switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:
      require(properties[1] > 0, CL_INVALID_VALUE, "CL_DEVICE_PARTITION_EQUALLY: no count");
      require(properties[2] == 0, CL_INVALID_VALUE, "partition properties do not end with 0");
      return equal_parts(units_, static_cast<size_t>(properties[1]));
    case CL_DEVICE_PARTITION_BY_COUNTS:
      return counted_parts(units_, properties + 1);
    case kByNames:
      return named_part(units_, properties + 1);
    default:
      throw Error(CL_INVALID_VALUE,
                  "partition type " + std::to_string(properties[0]) + " is not supported");
  }
}

size_t Device::count_parts(const Property* properties) const {
  return parts(properties).size();
}

std::vector<Ref<Device>> Device::split(const Property* properties) {
  std::vector<Property> list(properties,
                             properties ? properties + list_length(properties) : nullptr);
  std::vector<Ref<Device>> devices;
  for (std::vector<uint32_t>& part : parts(properties))
    devices.emplace_back(new Device(*this, std::move(part), list));
  return devices;
}

uint64_t Device::heap_size(share::HeapId heap) {
  try {
    return share::Share::get().heap().size(heap);
  } catch (const Error&) {  // the device cannot be used, but it can be asked
    const Config& config = Config::get();
    const uint64_t sizes[] = {config.ddr_heap1_bytes, config.ddr_heap2_bytes,
                              config.msmc_heap_bytes};
    return sizes[static_cast<size_t>(heap)];
  }
}

uint64_t Device::largest_free(share::HeapId heap) {
  try {
    share::Share& share = share::Share::get();
    return share.beyond_damage([&] { return share.heap().largest_free(heap); });
  } catch (const Error&) {
    return heap_size(heap);
  }
}

uint64_t Device::global_memory() {
  return heap_size(share::HeapId::kDdr1) + heap_size(share::HeapId::kDdr2);
}

// The larger heap has at least half of global memory. If that is below OpenCL's minimum, the
// minimum counts as far as there is memory.
uint64_t Device::max_allocation() {
  constexpr uint64_t kMinimum = 32 << 20;
  const uint64_t first = heap_size(share::HeapId::kDdr1), second = heap_size(share::HeapId::kDdr2);
  const uint64_t half = (first + second) / 2 / share::Heap::kAlignment * share::Heap::kAlignment;
  return std::min(Config::get().max_mem_alloc_size,
                  std::max(half, std::min(kMinimum, std::max(first, second))));
}

size_t Device::max_work_group_size() {
  return std::min<size_t>(kMaxWorkGroupSize, Config::get().work_group_size_limit);
}

}  // namespace conclave
