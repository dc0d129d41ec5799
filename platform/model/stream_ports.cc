// SPDX-License-Identifier: Apache-2.0
#include "platform/model/stream_ports.h"

#include <algorithm>
#include <cstring>

#include "platform/base/error.h"
#include "platform/share/segment_lock.h"
#include "platform/share/share.h"

namespace conclave {

bool has_streams(const KernelInfo& kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(), [](const auto& argument) {
    return argument.kind == ArgumentInfo::Kind::kStream;
  });
}

std::vector<StreamPort> stream_ports(const DeviceImage& image, const std::string& owner,
                                     const KernelInfo& kernel) {
  using Side = share::StreamEnd::Side;
  const GraphPlan& plan = image.plan();
  const auto& streams = image.layout().streams;
  std::vector<StreamPort> ports;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentInfo& argument = kernel.arguments[i];
    if (argument.kind != ArgumentInfo::Kind::kStream) continue;
    const bool reads = argument.access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    const std::string end = owner + "." + argument.name;
    const auto found = std::find_if(streams.begin(), streams.end(), [&](const auto& stream) {
      return (reads ? stream.to : stream.from) == end;
    });
    if (found == streams.end())
      throw Error(CL_INVALID_KERNEL_ARGS, "no stream of the device image ends at " + end, EINVAL);
    ports.push_back({i, found->name, plan.stream(static_cast<size_t>(found - streams.begin())),
                     found->bytes, reads ? Side::kRead : Side::kWrite});
  }
  return ports;
}

void prepare_streams(const DeviceImage& image) {
  const share::Layout& layout = share::Share::get().layout();
  auto& header = *reinterpret_cast<share::GraphHeader*>(layout.graphs);
  uint64_t uuid[2];
  std::memcpy(uuid, image.uuid().data(), sizeof uuid);
  const auto is_ready = [&] {
    return header.image[0].load() == uuid[0] && header.image[1].load() == uuid[1];
  };
  if (is_ready()) return;
  const share::SegmentLock lock(layout.header().image_lock);
  if (is_ready()) return;
  const GraphPlan& plan = image.plan();
  for (const auto& [offset, size] : plan.words())
    for (size_t word = 0; word < size / sizeof(uint64_t); ++word)
      reinterpret_cast<share::Atomic<uint64_t>*>(layout.graphs + offset)[word].store(0);
  for (size_t i = 0; i < share::kGraphParts; ++i)
    header.parts[i].store(i < plan.parts().size() ? plan.parts()[i].word() : 0);
  header.image[0].store(uuid[0]);
  header.image[1].store(uuid[1]);
}

}  // namespace conclave
