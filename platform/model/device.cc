// SPDX-License-Identifier: Apache-2.0
#include "platform/model/device.h"

#include <algorithm>
#include <atomic>

#include "platform/base/config.h"
#include "platform/base/cpu_info.h"
#include "platform/base/error.h"
#include "platform/model/partition.h"
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

size_t Device::count_parts(const cl_device_partition_property* properties) const {
  return parts_of(units_, properties).size();
}

std::vector<Ref<Device>> Device::split(const cl_device_partition_property* properties) {
  std::vector<Ref<Device>> devices;
  for (std::vector<uint32_t>& part : parts_of(units_, properties))
    devices.emplace_back(new Device(*this, std::move(part), partition_of(units_, properties)));
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
