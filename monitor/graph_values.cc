// SPDX-License-Identifier: Apache-2.0
#include "monitor/graph_values.h"

#include <algorithm>
#include <bit>

#include "platform/share/parameter_slot.h"

namespace conclave::monitor {
namespace {

using share::GraphHeader;
using share::GraphPart;
using share::ParameterSlot;

// How much to copy for each user at a time; it takes the daemon some 50 us.
constexpr size_t kBudgetBytes = 2 * GraphPart::kMaxParameterBytes;
// The cost of a try in addition to its bytes, expressed in bytes.
constexpr size_t kTryBytes = 64;

ParameterSlot slot_of(const Tenant& tenant, const GraphPart& part) {
  return {*reinterpret_cast<share::Parameter*>(tenant.layout().graphs + part.offset), part.bytes};
}

}  // namespace

void GraphValues::add_drivers(Tenant& tenant, const Graphs& graphs) {
  if (graphs.none()) return;
  for (size_t i = 0; i < drivers_.size(); ++i)
    if (graphs[i]) drivers_[i] = &tenant;
}

void GraphValues::remove(Tenant& tenant) {
  std::replace(drivers_.begin(), drivers_.end(), &tenant, static_cast<Tenant*>(nullptr));
}

void GraphValues::bring(Tenant& viewer, const Graphs& graphs) {
  size_t budget = kBudgetBytes;
  GraphHeader& header = viewer.graphs();
  for (size_t word = 0; word < share::kGraphParts / 64; ++word) {
    for (uint64_t left = header.wanted[word].load(); left; left &= left - 1) {
      if (!copy(viewer, word * 64 + static_cast<size_t>(std::countr_zero(left)), graphs, budget))
        continue;
      header.wanted[word].fetch_and(~(left & -left));
    }
  }
}

// False if somebody must ask again: the budget is used up, or the value changes all the time.
bool GraphValues::copy(Tenant& viewer, size_t number, const Graphs& graphs, size_t& budget) {
  const uint64_t word = viewer.graphs().parts[number].load();
  const GraphPart part = GraphPart::of(word);
  if (part.kind != GraphPart::Kind::kParameter || !part.is_sound() || !graphs[part.graph])
    return true;
  const Tenant* driver = drivers_[part.graph];
  if (!driver || driver == &viewer || driver->graphs().parts[number].load() != word ||
      !driver->graphs().is_of_same_xclbin(viewer.graphs()))
    return true;
  const size_t cost = part.bytes + kTryBytes;
  value_.resize(GraphPart::kMaxParameterBytes);
  for (; budget >= cost; budget -= cost) {
    if (!slot_of(*driver, part).read(value_.data(), 1)) continue;
    budget -= cost;
    slot_of(viewer, part).write(value_.data());
    return true;
  }
  return false;
}

}  // namespace conclave::monitor
