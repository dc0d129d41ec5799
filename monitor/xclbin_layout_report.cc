// SPDX-License-Identifier: Apache-2.0
#include "monitor/xclbin_layout_report.h"

#include <algorithm>
#include <cstdio>

#include "monitor/snapshot.h"
#include "monitor/table.h"
#include "platform/base/error.h"
#include "platform/loader/xclbin.h"
#include "platform/share/kept_xclbin.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::monitor {
namespace {

std::string hexadecimal(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Whether a unit of the device to which the compute unit belongs runs its kernel.
bool runs(const XclbinUse::ComputeUnit& unit, const std::vector<UnitUse>& device) {
  const std::string kernel = unit.name.substr(0, unit.name.find(':'));
  return std::any_of(device.begin(), device.end(), [&](const UnitUse& use) {
    return use.state == "active" && use.kernel == kernel &&
           std::find(unit.units.begin(), unit.units.end(), use.unit) != unit.units.end();
  });
}

}  // namespace

std::optional<DynamicRegion> read_dynamic_region(const share::Layout& layout) {
  const std::optional<XclbinUse> xclbin = read_xclbin(layout);
  if (!xclbin) return std::nullopt;
  const std::vector<UnitUse> device = read_units(layout);
  DynamicRegion region{xclbin->uuid, {}};
  for (const XclbinUse::ComputeUnit& unit : xclbin->compute_units) {
    const auto number = static_cast<uint32_t>(region.compute_units.size());
    region.compute_units.push_back({unit.name, base_address(number),
                                    runs(unit, device) ? "(START)" : "(IDLE)",
                                    unit.contexts.size()});
  }
  return region;
}

Array read_array(const share::Segment& segment) {
  Array array;
  const std::optional<XclbinUse> xclbin = read_xclbin(segment.layout());
  if (!xclbin) {
    array.why = "No xclbin is loaded.";
    return array;
  }
  std::string why;
  const std::string bytes = share::kept_xclbin(segment.name(), why);
  try {
    const auto kept = bytes.empty() ? nullptr : Xclbin::parse(bytes);
    if (!kept) {
      array.why = "The xclbin's file cannot be read: " + why;
    } else if (share::uuid_text(kept->uuid()) != xclbin->uuid) {
      array.why = "The xclbin was loaded by another user: its file is not this one's to read.";
    } else {
      for (const XclbinLayout::Graph& graph : kept->layout().graphs)
        array.graphs.push_back(graph.name);
      for (const XclbinLayout::Stream& stream : kept->layout().streams)
        array.streams.push_back({stream.name, stream.from, stream.to});
    }
  } catch (const Error& error) {
    array.why = error.text();
  }
  return array;
}

void add_graph_names(std::vector<AccessUse>& uses, const Array& array) {
  for (AccessUse& use : uses)
    for (AccessUse::Graph& graph : use.graphs)
      if (graph.number < array.graphs.size()) graph.name = array.graphs[graph.number];
}

std::string dynamic_region_text(const std::optional<DynamicRegion>& region) {
  if (!region) return "Dynamic region\n  No xclbin is loaded.\n\n";
  // Only each process knows how often it has started a compute unit.
  Table units({"Index", "Name", "Base_Address", "Usage", "Status", "Contexts"});
  for (size_t i = 0; i < region->compute_units.size(); ++i) {
    const DynamicRegion::ComputeUnit& unit = region->compute_units[i];
    units.add({std::to_string(i), unit.name, hexadecimal(unit.base_address), "-", unit.status,
               std::to_string(unit.contexts)});
  }
  return "Dynamic region\n  Xclbin UUID  " + region->uuid + "\n  Compute Units\n" + units.text() +
         "\n";
}

std::string graphs_text(const Array& array) {
  if (!array.why.empty()) return "Graphs\n  " + array.why + "\n\n";
  if (array.graphs.empty()) return "Graphs\n  none\n\n";
  Table graphs({"Name"});
  for (const std::string& name : array.graphs) graphs.add({name});
  return "Graphs\n" + graphs.text() + "\n";
}

std::string streams_text(const Array& array) {
  if (!array.why.empty()) return "Streams\n  " + array.why + "\n\n";
  if (array.streams.empty()) return "Streams\n  none\n\n";
  Table streams({"Name", "From", "To"});
  for (const Array::Stream& stream : array.streams)
    streams.add({stream.name, stream.from, stream.to});
  return "Streams\n" + streams.text() + "\n";
}

Json to_json(const DynamicRegion& region) {
  Json units = Json::array();
  for (const DynamicRegion::ComputeUnit& unit : region.compute_units)
    units.push_back({{"index", units.size()},
                     {"name", unit.name},
                     {"base-address", hexadecimal(unit.base_address)},
                     {"usage", nullptr},
                     {"status", unit.status},
                     {"contexts", unit.contexts}});
  return {{"xclbin-uuid", region.uuid}, {"compute-units", std::move(units)}};
}

Json graphs_json(const Array& array) {
  if (!array.why.empty()) return nullptr;
  Json graphs = Json::array();
  for (const std::string& name : array.graphs) graphs.push_back({{"name", name}});
  return {{"graphs", std::move(graphs)}};
}

Json streams_json(const Array& array) {
  if (!array.why.empty()) return nullptr;
  Json streams = Json::array();
  for (const Array::Stream& stream : array.streams)
    streams.push_back({{"name", stream.name}, {"from", stream.from}, {"to", stream.to}});
  return {{"streams", std::move(streams)}};
}

}  // namespace conclave::monitor
