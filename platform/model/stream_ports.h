// SPDX-License-Identifier: Apache-2.0
// The streams of an xclbin that end at a kernel's arguments.
#ifndef CONCLAVE_PLATFORM_MODEL_STREAM_PORTS_H_
#define CONCLAVE_PLATFORM_MODEL_STREAM_PORTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/loader/program_binary.h"
#include "platform/loader/xclbin.h"
#include "platform/share/stream_end.h"

namespace conclave {

struct StreamPort {
  size_t argument;   // number of the kernel's argument
  std::string name;  // the stream's
  size_t offset;     // the stream's, in the shared segment (graph_plan.h)
  uint64_t bytes;    // size of its buffer
  share::StreamEnd::Side side;
};

bool has_streams(const KernelInfo& kernel);

// The streams of `kernel` on the compute unit of that name, or as the kernel of a graph of that
// name ("vadd_1", "gr[0].k"). Throws Error{CL_INVALID_KERNEL_ARGS} if no stream ends at one of its
// stream arguments.
std::vector<StreamPort> stream_ports(const Xclbin& xclbin, const std::string& owner,
                                     const KernelInfo& kernel);

// Whether the segment is ready for the xclbin's graphs and streams.
bool streams_are_ready(const Xclbin& xclbin);
// Makes the segment ready for the xclbin's graphs and streams. A context must be open on the
// xclbin.
void prepare_streams(const Xclbin& xclbin);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_STREAM_PORTS_H_
