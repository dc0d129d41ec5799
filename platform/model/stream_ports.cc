// SPDX-License-Identifier: Apache-2.0
#include "platform/model/stream_ports.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/base/error.h"
#include "platform/share/segment_lock.h"
#include "platform/share/share.h"

namespace conclave {

bool has_streams(const KernelInfo& kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const auto& argument) { return argument.kind == ArgumentKind::kStream; });
}

std::vector<StreamPort> stream_ports(const Xclbin& xclbin, const std::string& owner,
                                     const KernelInfo& kernel) {
  using Side = share::StreamEnd::Side;
  const GraphPlan& plan = xclbin.plan();
  const auto& streams = xclbin.layout().streams;
  std::vector<StreamPort> ports;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentInfo& argument = kernel.arguments[i];
    if (argument.kind != ArgumentKind::kStream) continue;
    const bool reads = argument.access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    const std::string end = owner + "." + argument.name;
    const auto found = std::find_if(streams.begin(), streams.end(), [&](const auto& stream) {
      return (reads ? stream.to : stream.from) == end;
    });
    if (found == streams.end())
      throw Error(CL_INVALID_KERNEL_ARGS, "no stream of the xclbin ends at " + end, EINVAL);
    ports.push_back({i, found->name, plan.stream(static_cast<size_t>(found - streams.begin())),
                     found->bytes, reads ? Side::kRead : Side::kWrite});
  }
  return ports;
}

namespace {

using UuidWords = std::array<uint64_t, 2>;

UuidWords words_of(const XclbinUuid& uuid) {
  UuidWords words;
  static_assert(sizeof words == sizeof uuid);
  std::memcpy(words.data(), uuid.data(), sizeof words);
  return words;
}

share::GraphHeader& graph_header() {
  return *reinterpret_cast<share::GraphHeader*>(share::Share::get().layout().graphs);
}

}  // namespace

bool streams_are_ready(const Xclbin& xclbin) {
  const share::GraphHeader& header = graph_header();
  return UuidWords{header.xclbin[0].load(), header.xclbin[1].load()} == words_of(xclbin.uuid());
}

void prepare_streams(const Xclbin& xclbin) {
  if (streams_are_ready(xclbin)) return;
  const share::Layout& layout = share::Share::get().layout();
  const share::SegmentLock lock(layout.header().xclbin_lock);
  if (streams_are_ready(xclbin)) return;
  const GraphPlan& plan = xclbin.plan();
  for (const auto& [offset, size] : plan.words())
    for (size_t word = 0; word < size / sizeof(uint64_t); ++word)
      reinterpret_cast<share::Atomic<uint64_t>*>(layout.graphs + offset)[word].store(0);
  for (size_t i = 0; i < share::kGraphParts; ++i)
    graph_header().parts[i].store(i < plan.parts().size() ? plan.parts()[i].word() : 0);
  const UuidWords uuid = words_of(xclbin.uuid());
  graph_header().xclbin[0].store(uuid[0]);
  graph_header().xclbin[1].store(uuid[1]);
}

}  // namespace conclave
