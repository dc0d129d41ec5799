// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/graph_plan.h"

#include <stdexcept>
#include <string>

#include "platform/base/align.h"
#include "platform/share/graph_area.h"

namespace conclave {
namespace {

constexpr size_t kLine = 64;

}  // namespace

GraphPlan::GraphPlan(const ImageLayout& layout) : end_(sizeof(share::GraphHeader)) {
  for (const ImageLayout::Graph& graph : layout.graphs) {
    graphs_.push_back(add(sizeof(share::GraphState), 0));
    auto& kernels = parameters_.emplace_back();
    for (const ImageLayout::GraphKernel& kernel : graph.kernels) {
      auto& parameters = kernels.emplace_back();
      for (const ImageLayout::Parameter& parameter : kernel.parameters)
        parameters.push_back(
            add(sizeof(share::Parameter) + 2 * align_up(parameter.bytes, kLine), 0));
    }
  }
  for (const ImageLayout::Stream& stream : layout.streams)
    streams_.push_back(add(sizeof(share::Stream), stream.bytes));
  if (end_ > share::kGraphAreaBytes)
    throw std::length_error("its graphs and streams need " + std::to_string(end_) +
                            " bytes of shared memory; there are " +
                            std::to_string(share::kGraphAreaBytes));
}

size_t GraphPlan::add(size_t words, size_t bytes) {
  const size_t offset = end_;
  words_.emplace_back(offset, words);
  end_ = align_up(offset + words + bytes, kLine);
  return offset;
}

}  // namespace conclave
