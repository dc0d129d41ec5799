// SPDX-License-Identifier: Apache-2.0
// What an xclConclaveProfile stands for: how much has been sent through a stream of the
// xclbin since it was made. It reads the stream's own position, so profiling costs the users of the
// stream nothing, in whatever process.
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
  // `option`: of xclConclaveProfilingOption; `port`: a port of the host, or a kernel's argument by
  // its name in the layout. Throws Error{EPERM} if the array's mode does not permit it, and
  // Error{EINVAL} for other options and unknown ports.
  StreamProfile(const std::shared_ptr<XclArray>& array, unsigned int option,
                const std::string& port);

  // The number of 32-bit words. Throws Error{EINVAL} if the array has been closed, the xclbin
  // replaced, or this stopped.
  uint64_t read() const;
  void stop();

 private:
  uint64_t bytes() const;
  std::shared_ptr<XclArray> require(share::Operation operation) const;

  const std::weak_ptr<XclArray> array_;  // profiling does not keep it open
  std::shared_ptr<const Xclbin> xclbin_;
  size_t stream_ = 0;
  uint64_t start_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_STREAM_PROFILE_H_
