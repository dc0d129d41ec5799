// SPDX-License-Identifier: Apache-2.0
// Where in the graphs' part of the shared segment (share/graph_area.h) the streams, parameters and
// states of the graphs of an xclbin lie. Each process calculates that from the xclbin's layout,
// so nobody has to believe an offset in shared memory.
#ifndef CONCLAVE_PLATFORM_LOADER_GRAPH_PLAN_H_
#define CONCLAVE_PLATFORM_LOADER_GRAPH_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "platform/loader/xclbin_layout.h"
#include "platform/share/graph_part.h"

namespace conclave {

class GraphPlan {
 public:
  // Throws std::length_error with a text if the layout needs more than the area has.
  explicit GraphPlan(const XclbinLayout& layout);

  // Offsets from the area's beginning, in the order of the layout: a share::Stream, followed by its
  // buffer; a share::GraphState; a share::Parameter, followed by its two values.
  size_t stream(size_t i) const { return streams_[i]; }
  size_t graph(size_t i) const { return graphs_[i]; }
  size_t parameter(size_t graph, size_t kernel, size_t i) const {
    return parameters_[graph][kernel][i];
  }
  // The streams and parameters in the order of their offsets, for the daemon (share/graph_part.h).
  const std::vector<share::GraphPart>& parts() const { return parts_; }
  // Everything that must be zero when an xclbin begins: ranges of offset and size.
  const std::vector<std::pair<size_t, size_t>>& words() const { return words_; }

 private:
  size_t add(size_t words, size_t bytes);
  void add_part(share::GraphPart::Kind kind, size_t offset, uint64_t bytes);

  size_t end_;
  std::vector<size_t> streams_, graphs_;
  std::vector<std::vector<std::vector<size_t>>> parameters_;
  std::vector<share::GraphPart> parts_;
  std::vector<std::pair<size_t, size_t>> words_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_GRAPH_PLAN_H_
