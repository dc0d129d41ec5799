// SPDX-License-Identifier: Apache-2.0
// What an xclConclaveProfile stands for: how much has been sent through a stream of the device
// image since this began. It is read off the stream itself, so that profiling costs those nothing
// who use the stream, in whatever process.
#ifndef CONCLAVE_XRT_STREAM_PROFILE_H_
#define CONCLAVE_XRT_STREAM_PROFILE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "xrt/xcl_array.h"

namespace conclave::xrt {

class StreamProfile {
 public:
  // `option`: of xclConclaveProfilingOption; `port`: a port of the host, or a kernel's argument as
  // the layout names it. Throws Error{EPERM} where the array's mode does not permit it,
  // Error{EINVAL} for other options and unknown ports.
  StreamProfile(const std::shared_ptr<XclArray>& array, unsigned int option,
                const std::string& port);

  // Words of 32 bits. Throws Error{EINVAL} where the array has been closed, the image replaced, or
  // this stopped.
  uint64_t read() const;
  void stop();

 private:
  uint64_t bytes() const;
  std::shared_ptr<XclArray> require(share::Operation operation) const;

  const std::weak_ptr<XclArray> array_;  // which nobody keeps open by profiling it
  std::shared_ptr<const DeviceImage> image_;
  size_t stream_ = 0;
  uint64_t start_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_STREAM_PROFILE_H_
