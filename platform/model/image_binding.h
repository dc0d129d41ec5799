// SPDX-License-Identifier: Apache-2.0
// How programs and kernels use device images: a program loads one into the device's slot, and a
// kernel has contexts on its compute units.
#ifndef CONCLAVE_PLATFORM_MODEL_IMAGE_BINDING_H_
#define CONCLAVE_PLATFORM_MODEL_IMAGE_BINDING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/loader/device_image.h"
#include "platform/share/image_client.h"

namespace conclave {

// Loads the image into the device's slot, or finds it there. Throws Error{CL_INVALID_BINARY} if the
// device has fewer compute units than the image needs, and as ImageSlot::load() does.
void load_device_image(const DeviceImage& image);

// The compute units of this process's device to which these compute units of the image belong.
ComputeUnitSet device_units(const DeviceImage& image, const std::vector<uint32_t>& units);

// A kernel's shared contexts on some compute units of an image, for as long as the object lives.
// The kernel, its clones and its launches share it.
class ImageBinding {
 public:
  // Loads the image again if another one, which nobody uses, has taken its place. Throws Error as
  // that and ImageSlot::open() do.
  ImageBinding(std::shared_ptr<const DeviceImage> image, std::vector<uint32_t> units);

  const DeviceImage& image() const { return *image_; }
  // Numbers of the compute units in the image.
  const std::vector<uint32_t>& units() const { return units_; }
  const ComputeUnitSet& device_units() const { return device_units_; }

 private:
  std::shared_ptr<const DeviceImage> image_;
  std::vector<uint32_t> units_;
  ComputeUnitSet device_units_;
  share::ImageClient client_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_IMAGE_BINDING_H_
