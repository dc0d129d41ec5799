// SPDX-License-Identifier: Apache-2.0
// cl_sampler.
#ifndef CONCLAVE_PLATFORM_MODEL_SAMPLER_H_
#define CONCLAVE_PLATFORM_MODEL_SAMPLER_H_

#include <CL/cl.h>

#include <cstdint>
#include <vector>

#include "platform/base/object.h"

namespace conclave {

class Context;
class Sampler;

template <>
struct HandleOf<Sampler> {
  using Type = cl_sampler;
};

class Sampler : public Object<Sampler> {
 public:
  static constexpr uint32_t kMagic = 0x73616d70;  // "samp"

  // How images are read; the defaults are those of clCreateSamplerWithProperties.
  struct Mode {
    bool normalized = true;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
  };

  // `properties`: as the user gave them, for CL_SAMPLER_PROPERTIES; empty if there were none.
  Sampler(Context& context, const Mode& mode, std::vector<cl_sampler_properties> properties);
  ~Sampler();

  Context& context() const { return *context_; }
  const Mode& mode() const { return mode_; }
  const std::vector<cl_sampler_properties>& properties() const { return properties_; }

  // The argument that a kernel gets: the sum of abi::kSampler* values.
  uint32_t argument() const;

 private:
  Ref<Context> context_;
  const Mode mode_;
  const std::vector<cl_sampler_properties> properties_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_SAMPLER_H_
