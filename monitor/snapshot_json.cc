// SPDX-License-Identifier: Apache-2.0
#include "monitor/snapshot_json.h"

#include <time.h>

namespace conclave::monitor {
namespace {

double milliseconds(uint64_t ns) {
  const uint64_t whole_microseconds = ns / 1000;
  return static_cast<double>(whole_microseconds) / 1000;
}

// A process's number, or null if there is none.
Json process(uint32_t pid) {
  return pid ? Json(pid) : Json(nullptr);
}

}  // namespace

std::string utc(uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000u);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, strftime(text, sizeof text, "%FT%TZ", &parts)};
}

Json to_json(const Device& device) {
  return {{"segment", device.segment},
          {"segment-bytes", device.segment_bytes},
          {"created", utc(device.created_ns)},
          {"daemon", process(device.daemon_pid)},
          {"scheduler", device.policy},
          {"time-slice-us", device.time_slice_us},
          {"exclusive", process(device.exclusive_pid)},
          {"process-capacity", device.process_capacity}};
}

Json to_json(const ProcessUse& use) {
  return {{"pid", use.pid},
          {"uid", use.uid},
          {"name", use.name},
          {"command", use.command},
          {"alive", use.alive},
          {"since", utc(use.since_ns)},
          {"contexts", use.contexts},
          {"compute-units", use.units},
          {"launches", use.launches},
          {"work-groups", use.work_groups},
          {"busy-ms", milliseconds(use.busy_ns)},
          {"wait-ms", milliseconds(use.wait_ns)},
          {"heap-bytes", use.heap_bytes},
          {"compiles", use.compiles},
          {"cache-hits", use.cache_hits},
          {"faults", use.faults},
          {"queued", use.queued},
          {"kernel", use.kernel}};
}

Json to_json(const UnitUse& unit) {
  return {{"unit", unit.unit},
          {"state", unit.state},
          {"pid", process(unit.holder)},
          {"guest", process(unit.guest)},
          {"kernel", unit.kernel},
          {"hand-overs", unit.hand_overs},
          {"busy-ms", milliseconds(unit.busy_ns)},
          {"waiting", unit.waiting}};
}

Json to_json(const HeapUse& heap) {
  Json free = Json::array(), allocated = Json::array();
  for (const HeapUse::Block& block : heap.blocks) {
    Json json = {{"address", block.address}, {"size", block.size}};
    if (block.allocated) json["pid"] = process(block.pid);
    (block.allocated ? allocated : free).push_back(std::move(json));
  }
  return {{"name", heap.name},
          {"address", heap.base},
          {"size", heap.size},
          {"available", heap.available},
          {"align", heap.align},
          {"free", std::move(free)},
          {"allocated", std::move(allocated)}};
}

Json to_json(const XclbinUse& xclbin) {
  Json units = Json::array(), holders = Json::array();
  for (const XclbinUse::ComputeUnit& unit : xclbin.compute_units) {
    Json contexts = Json::array();
    for (const XclbinUse::Context& context : unit.contexts)
      contexts.push_back({{"pid", context.pid}, {"exclusive", context.exclusive}});
    units.push_back({{"index", units.size()},
                     {"name", unit.name},
                     {"units", unit.units},
                     {"contexts", std::move(contexts)}});
  }
  for (const XclbinUse::Holder& holder : xclbin.holders)
    holders.push_back({{"pid", holder.pid},
                       {"command", holder.command},
                       {"since", utc(holder.since_ns)},
                       {"contexts", holder.contexts}});
  return {{"uuid", xclbin.uuid},
          {"loaded", utc(xclbin.since_ns)},
          {"loader", process(xclbin.loader)},
          {"compute-units", std::move(units)},
          {"holders", std::move(holders)}};
}

Json to_json(const AccessUse& use) {
  Json graphs = Json::array();
  for (const AccessUse::Graph& graph : use.graphs)
    graphs.push_back({{"graph", graph.number},
                      {"name", graph.name.empty() ? Json(nullptr) : Json(graph.name)},
                      {"mode", graph.mode}});
  return {{"pid", process(use.pid)},
          {"command", use.command},
          {"since", utc(use.since_ns)},
          {"array", use.array.empty() ? Json(nullptr) : Json(use.array)},
          {"graphs", std::move(graphs)}};
}

Json to_json(const Config& config) {
  Json json = Json::array();
  for (const Config::Entry& entry : config.entries)
    json.push_back({{"key", entry.key}, {"value", entry.value}, {"source", entry.source}});
  return json;
}

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace conclave::monitor
