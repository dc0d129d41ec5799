// SPDX-License-Identifier: Apache-2.0
#include "platform/model/xclbin_binding.h"

#include "platform/base/config.h"
#include "platform/share/share.h"

namespace conclave {

void load_xclbin(const Xclbin& xclbin) {
  xclbin.require_fit(Config::get().compute_units);
  const std::vector<share::UnitPlacement>& places = share::Share::get().units();
  share::XclbinSlot::Description description{xclbin.uuid(), {}};
  for (const XclbinLayout::ComputeUnit& unit : xclbin.layout().compute_units) {
    description.compute_units.push_back({unit.full_name(), {}});
    for (uint32_t i : unit.units) description.compute_units.back().units.add(places[i].shared);
  }
  share::load_xclbin(description, xclbin.bytes());
}

ComputeUnitSet device_units(const Xclbin& xclbin, const std::vector<uint32_t>& units) {
  ComputeUnitSet set;
  for (uint32_t number : units)
    for (uint32_t unit : xclbin.layout().compute_units[number].units) set.add(unit);
  return set;
}

XclbinBinding::XclbinBinding(std::shared_ptr<const Xclbin> xclbin, std::vector<uint32_t> units)
    : xclbin_(std::move(xclbin)),
      units_(std::move(units)),
      device_units_(conclave::device_units(*xclbin_, units_)) {
  load_xclbin(*xclbin_);
  for (uint32_t unit : units_)
    client_.open(xclbin_->uuid(), unit, share::XclbinClient::Mode::kShared);
}

}  // namespace conclave
