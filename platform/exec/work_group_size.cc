// SPDX-License-Identifier: Apache-2.0
// How large work-groups can be, and are where the program leaves it open.
#include <algorithm>
#include <bit>

#include "platform/base/config.h"
#include "platform/base/host_memory.h"
#include "platform/exec/admission.h"
#include "platform/exec/nd_range.h"
#include "platform/model/device.h"

namespace conclave {
namespace {

// Private memory that lives across barriers is there for each work-item of a work-group. A
// compute unit may have this much of it in any case, and this much where the platform chooses the
// size of work-groups.
constexpr size_t kLeastGroupPrivateBytes = 256 << 20;
constexpr size_t kChosenGroupPrivateBytes = 64 << 20;

// All compute units together may have half of the memory.
size_t max_group_private_bytes() {
  return std::max<size_t>(kLeastGroupPrivateBytes, host_memory() / 2 / Config::get().compute_units);
}

size_t max_items_with(size_t private_bytes, size_t per_item) {
  return per_item == 0 ? SIZE_MAX : std::max<size_t>(private_bytes / per_item, 1);
}

// A group should last so long, or have so many work-items, that its own cost does not count. A power
// of two, so that a kernel's launches do not all have sizes of their own.
size_t least_items(const KernelCode& code) {
  constexpr size_t kUsual = 256;
  constexpr float kGroupNs = 20'000;
  const float ns = code.timing.ns_per_item();
  if (ns * kUsual <= kGroupNs) return kUsual;
  return std::bit_floor(std::max(static_cast<size_t>(kGroupNs / ns), size_t{code.info->lanes}));
}

// A group should not last longer than that: until it ends, its compute unit does nothing else.
size_t most_items(const KernelCode& code) {
  constexpr size_t kUsual = 4096;
  constexpr float kGroupNs = 200'000;
  const float ns = code.timing.ns_per_item();
  if (ns * kUsual <= kGroupNs) return kUsual;
  return std::max(std::bit_floor(static_cast<size_t>(kGroupNs / ns)), least_items(code));
}

// The largest divisor of n that is not above `limit`.
size_t largest_divisor(size_t n, size_t limit) {
  for (size_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace

size_t max_work_group_size(const KernelInfo& kernel) {
  return std::min(Device::max_work_group_size(),
                  max_items_with(max_group_private_bytes(), kernel.spill_bytes));
}

bool has_too_few_groups(const IndexSpace& space, const KernelInfo& kernel, float ns_per_item,
                        size_t compute_units) {
  constexpr size_t kGroupsEach = 4;
  if (!kernel.joins_groups || kernel.required_local_size[0] || kernel.checked) return false;
  if (space.all_groups() >= kGroupsEach * compute_units) return false;
  return ns_per_item * static_cast<float>(space.items().saturated()) >
         static_cast<float>(kWorthWakingNs);
}

std::array<size_t, 3> choose_local_size(const IndexSpace& space, const KernelCode& code,
                                        size_t compute_units) {
  const auto& required = code.info->required_local_size;
  if (required[0]) return required;
  constexpr size_t kGroupsEach = 8;
  size_t items = space.global[0] * space.global[1] * space.global[2];
  // Each compute unit gets several, as groups of one launch may last differently long.
  size_t budget = std::min(
      std::clamp(items / (kGroupsEach * compute_units), least_items(code), most_items(code)),
      Device::max_work_group_size());
  // Few work-items may be long ones: each compute unit gets a group.
  budget = std::min(budget, std::max<size_t>(items / compute_units, 1));
  budget = std::min(budget, max_items_with(kChosenGroupPrivateBytes, code.info->spill_bytes));
  if (budget > code.info->lanes) budget -= budget % code.info->lanes;
  std::array<size_t, 3> local{1, 1, 1};
  // Packets lie along one dimension, which should be long.
  const size_t row = code.info->dimension;
  for (size_t d : {row, size_t{row == 0}, size_t{row == 2 ? 1u : 2u}}) {
    if (space.global[d] == 0 || budget <= 1) continue;
    local[d] = largest_divisor(space.global[d], budget);
    budget /= local[d];
  }
  return local;
}

}  // namespace conclave
