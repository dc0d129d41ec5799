// SPDX-License-Identifier: Apache-2.0
#include "platform/model/sampler.h"

#include "conclave/kernel_abi.h"
#include "platform/model/context.h"

namespace conclave {

Sampler::Sampler(Context& context, const Mode& mode, std::vector<cl_sampler_properties> properties)
    : context_(&context), mode_(mode), properties_(std::move(properties)) {}

Sampler::~Sampler() = default;

uint32_t Sampler::argument() const {
  const uint32_t address = [&] {
    switch (mode_.addressing) {
      case CL_ADDRESS_CLAMP_TO_EDGE:
        return abi::kSamplerAddressClampToEdge;
      case CL_ADDRESS_CLAMP:
        return abi::kSamplerAddressClamp;
      case CL_ADDRESS_REPEAT:
        return abi::kSamplerAddressRepeat;
      case CL_ADDRESS_MIRRORED_REPEAT:
        return abi::kSamplerAddressMirroredRepeat;
      default:
        return abi::kSamplerAddressNone;
    }
  }();
  return address | (mode_.normalized ? abi::kSamplerNormalized : 0) |
         (mode_.filter == CL_FILTER_LINEAR ? abi::kSamplerFilterLinear
                                           : abi::kSamplerFilterNearest);
}

}  // namespace conclave
