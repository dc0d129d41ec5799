// SPDX-License-Identifier: Apache-2.0
#include "platform/model/image_binding.h"

#include "platform/base/config.h"
#include "platform/share/share.h"

namespace conclave {

void load_device_image(const DeviceImage& image) {
  image.require_fit(Config::get().compute_units);
  const std::vector<share::UnitPlacement>& places = share::Share::get().units();
  share::ImageSlot::Image description{image.uuid(), {}};
  for (const ImageLayout::ComputeUnit& unit : image.layout().compute_units) {
    description.compute_units.push_back({unit.full_name(), {}});
    for (uint32_t i : unit.units) description.compute_units.back().units.add(places[i].shared);
  }
  share::load_image(description, image.bytes());
}

ComputeUnitSet device_units(const DeviceImage& image, const std::vector<uint32_t>& units) {
  ComputeUnitSet set;
  for (uint32_t number : units)
    for (uint32_t unit : image.layout().compute_units[number].units) set.add(unit);
  return set;
}

ImageBinding::ImageBinding(std::shared_ptr<const DeviceImage> image, std::vector<uint32_t> units)
    : image_(std::move(image)),
      units_(std::move(units)),
      device_units_(conclave::device_units(*image_, units_)) {
  load_device_image(*image_);
  for (uint32_t unit : units_)
    client_.open(image_->uuid(), unit, share::ImageClient::Mode::kShared);
}

}  // namespace conclave
