// SPDX-License-Identifier: Apache-2.0
#include "xrt/stream_profile.h"

#include <algorithm>
#include <cerrno>

#include "platform/base/error.h"
#include "platform/model/stream_ports.h"
#include "platform/share/graph_area.h"
#include "platform/share/share.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {
namespace {

using share::Operation;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(CL_INVALID_VALUE, text, EINVAL);
}

// The other options are about the cycles of a stream's clock, and streams have none here.
void require_option(unsigned int option) {
  if (option != XCL_CONCLAVE_PROFILE_RUNNING_EVENTS)
    refuse("profiling option " + std::to_string(option) +
           " counts cycles of a stream, which has no clock here; io_stream_running_event_count (" +
           std::to_string(XCL_CONCLAVE_PROFILE_RUNNING_EVENTS) + ") counts what goes through it");
}

size_t stream_at(const Xclbin& xclbin, const std::string& port) {
  const auto& streams = xclbin.layout().streams;
  const auto found = std::find_if(streams.begin(), streams.end(), [&](const auto& stream) {
    return !port.empty() &&
           (stream.host_port() == port || stream.from == port || stream.to == port);
  });
  if (found == streams.end())
    refuse("no stream of the xclbin ends at '" + port.substr(0, 80) + "'");
  return static_cast<size_t>(found - streams.begin());
}

}  // namespace

StreamProfile::StreamProfile(const std::shared_ptr<XclArray>& array, unsigned int option,
                             const std::string& port)
    : array_(array) {
  xclbin_ = require(Operation::kProfilingStart)->xclbin();
  require_option(option);
  stream_ = stream_at(*xclbin_, port);
  start_ = bytes();
}

std::shared_ptr<XclArray> StreamProfile::require(Operation operation) const {
  std::shared_ptr<XclArray> array = array_.lock();
  if (!array) refuse("the array has been closed");
  array->require(operation);
  if (stopped_.load()) refuse("profiling has been stopped");
  return array;
}

// Until somebody uses the xclbin's streams, the memory belongs to another xclbin.
uint64_t StreamProfile::bytes() const {
  if (!streams_are_ready(*xclbin_)) return 0;
  const std::byte* area = share::Share::get().layout().graphs;
  return reinterpret_cast<const share::Stream*>(area + xclbin_->plan().stream(stream_))
      ->written.position.load();
}

uint64_t StreamProfile::read() const {
  const auto xclbin = require(Operation::kProfilingRead)->xclbin();
  if (xclbin->uuid() != xclbin_->uuid()) refuse("another xclbin has been loaded meanwhile");
  // A stream that has lost its writer begins again with the next one, and may be behind.
  const uint64_t now = bytes();
  return (now - std::min(start_, now)) / sizeof(uint32_t);
}

void StreamProfile::stop() {
  require(Operation::kProfilingStop);
  stopped_.store(true);
}

}  // namespace conclave::xrt
