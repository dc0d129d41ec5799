// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/graph_plan.h"

#include <stdexcept>
#include <string>

#include "platform/base/align.h"
#include "platform/share/graph_area.h"

namespace conclave {
namespace {

using Kind = share::GraphPart::Kind;

constexpr size_t kLine = share::GraphPart::kAlignment;
static_assert(XclbinLayout::kMaxStreamBytes <= share::GraphPart::kMaxStreamBytes);
static_assert(XclbinLayout::kMaxParameterBytes <= share::GraphPart::kMaxParameterBytes);

}  // namespace

GraphPlan::GraphPlan(const XclbinLayout& layout) : end_(sizeof(share::GraphHeader)) {
  for (const XclbinLayout::Graph& graph : layout.graphs) {
    graphs_.push_back(add(sizeof(share::GraphState), 0));
    auto& kernels = parameters_.emplace_back();
    for (const XclbinLayout::GraphKernel& kernel : graph.kernels) {
      auto& parameters = kernels.emplace_back();
      for (const XclbinLayout::Parameter& parameter : kernel.parameters) {
        parameters.push_back(
            add(sizeof(share::Parameter) + 2 * align_up(parameter.bytes, kLine), 0));
        add_part(Kind::kParameter, parameters.back(), parameter.bytes);
      }
    }
  }
  for (const XclbinLayout::Stream& stream : layout.streams) {
    streams_.push_back(add(sizeof(share::Stream), stream.bytes));
    add_part(Kind::kStream, streams_.back(), stream.bytes);
  }
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

void GraphPlan::add_part(Kind kind, size_t offset, uint64_t bytes) {
  const size_t graph = kind == Kind::kParameter ? graphs_.size() - 1 : 0;
  if (graph > UINT8_MAX) return;  // beyond those that have access modes: nobody can open it
  parts_.push_back({kind, static_cast<uint8_t>(graph), static_cast<uint32_t>(offset),
                    static_cast<uint32_t>(bytes)});
}

}  // namespace conclave
