// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace/timeline.h"

#include <CL/cl.h>

#include <algorithm>

namespace conclave::monitor {
namespace {

using share::TraceRecord;

bool earlier(const Slice& a, const Slice& b) {
  const auto key = [](const Slice& s) { return std::pair(s.record.begin_ns, s.record.end_ns); };
  return key(a) < key(b);
}

// As many lanes as are needed for slices that overlap.
std::vector<Lane> in_lanes(Lane slices) {
  std::sort(slices.begin(), slices.end(), earlier);
  std::vector<Lane> lanes;
  for (Slice& slice : slices) {
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& taken) {
      return taken.back().record.end_ns <= slice.record.begin_ns;
    });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane());
    lane->push_back(std::move(slice));
  }
  return lanes;
}

// The commands of one process. One that several compute units took part in lasts from the first
// part's begin to the last one's end; if its queue has profiling, from and to the times that the
// program sees.
class Commands {
 public:
  void add(const TraceRecord& record, uint32_t process) {
    const auto [found, fresh] = slices_.try_emplace(record.number);
    Slice& slice = found->second;
    if (fresh) {
      slice.record = record;
      slice.process = process;
    }
    const bool exact = record.kind == TraceRecord::kCommand;
    if (exact) {
      const std::string name = slice.record.name;
      slice.record = record;
      slice.has_times = true;
      if (!record.name[0]) slice.record.set_name(name.c_str());
    } else if (!slice.has_times) {
      slice.record.begin_ns = std::min(slice.record.begin_ns, record.begin_ns);
      slice.record.end_ns = std::max(slice.record.end_ns, record.end_ns);
    }
    if (!exact && (record.flags & TraceRecord::kDeviceWork)) slice.units.push_back(record.unit);
  }

  std::vector<Lane> lanes() {
    Lane all;
    for (auto& [number, slice] : slices_) {
      slice.record.kind = TraceRecord::kCommand;
      std::sort(slice.units.begin(), slice.units.end());
      slice.units.erase(std::unique(slice.units.begin(), slice.units.end()), slice.units.end());
      all.push_back(std::move(slice));
    }
    return in_lanes(std::move(all));
  }

 private:
  std::map<uint64_t, Slice> slices_;
};

// A compute unit belongs to one holder at a time. The one that lets go notes its end after it has
// done so, perhaps after the next one has begun.
void order_runs(UnitLanes& unit) {
  Lane& runs = unit.runs;
  std::sort(runs.begin(), runs.end(), earlier);
  for (size_t i = 1; i < runs.size(); ++i) {
    TraceRecord& before = runs[i - 1].record;
    before.end_ns = std::min(before.end_ns, runs[i].record.begin_ns);
    if (runs[i - 1].process != runs[i].process)
      unit.hand_overs.push_back({runs[i].record.begin_ns, runs[i - 1].process, runs[i].process});
  }
}

// Who had the compute unit for most of the time while `wait` waited for it.
uint32_t blocker_of(const Slice& wait, const Lane& runs) {
  std::map<uint32_t, uint64_t> had;
  const TraceRecord& w = wait.record;
  auto run = std::lower_bound(runs.begin(), runs.end(), w.begin_ns,
                              [](const Slice& s, uint64_t at) { return s.record.end_ns < at; });
  for (; run != runs.end() && run->record.begin_ns < w.end_ns; ++run)
    had[run->process] +=
        std::min(run->record.end_ns, w.end_ns) - std::max(run->record.begin_ns, w.begin_ns);
  const auto most = std::max_element(
      had.begin(), had.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == had.end() ? Slice::kNobody : most->first;
}

}  // namespace

Timeline make_timeline(const std::vector<TracedProcess>& recorded) {
  Timeline timeline;
  timeline.begin_ns = UINT64_MAX;
  std::map<uint32_t, Lane> guests;
  for (const TracedProcess& traced : recorded) {
    const auto index = static_cast<uint32_t>(timeline.processes.size());
    ProcessLanes process{traced.pid, traced.name, traced.command, traced.lost, {}, {}, {}, {}};
    Commands commands;
    Lane waits, builds;
    for (const TraceRecord& record : traced.records) {
      const Slice slice{record, index, {}, Slice::kNobody, false};
      timeline.begin_ns = std::min(timeline.begin_ns, record.begin_ns);
      timeline.end_ns = std::max(timeline.end_ns, record.end_ns);
      if (record.kind == TraceRecord::kRun || record.kind == TraceRecord::kCommand)
        commands.add(record, index);
      if (record.kind == TraceRecord::kRun && (record.flags & TraceRecord::kDeviceWork))
        (record.flags & TraceRecord::kGuest ? guests[record.unit]
                                            : timeline.units[record.unit].runs)
            .push_back(slice);
      if (record.kind == TraceRecord::kWait) waits.push_back(slice);
      if (record.kind == TraceRecord::kCompile || record.kind == TraceRecord::kCacheHit)
        builds.push_back(slice);
      if (record.kind == TraceRecord::kFault) process.faults.push_back(slice);
    }
    process.commands = commands.lanes();
    process.waits = in_lanes(std::move(waits));
    process.builds = in_lanes(std::move(builds));
    timeline.processes.push_back(std::move(process));
  }
  for (auto& [unit, slices] : guests) timeline.units[unit].guests = in_lanes(std::move(slices));
  for (auto& [number, unit] : timeline.units) order_runs(unit);
  for (ProcessLanes& process : timeline.processes)
    for (Lane& lane : process.waits)
      for (Slice& wait : lane)
        if (const auto unit = timeline.units.find(wait.record.unit); unit != timeline.units.end())
          wait.waited_for = blocker_of(wait, unit->second.runs);
  timeline.begin_ns = std::min(timeline.begin_ns, timeline.end_ns);
  return timeline;
}

std::string title_of(const Slice& slice) {
  const TraceRecord& record = slice.record;
  switch (record.kind) {
    case TraceRecord::kCompile:
      return "compile";
    case TraceRecord::kCacheHit:
      return "cache hit";
    case TraceRecord::kWait:
      return "waits for CU " + std::to_string(record.unit);
    case TraceRecord::kFault:
      return std::string("fault in ") + record.name;
    default:
      break;
  }
  if (record.name[0]) return record.name;
  switch (record.type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
      return "read buffer";
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
      return "write buffer";
    case CL_COMMAND_COPY_BUFFER:
    case CL_COMMAND_COPY_BUFFER_RECT:
      return "copy buffer";
    case CL_COMMAND_FILL_BUFFER:
      return "fill buffer";
    case CL_COMMAND_READ_IMAGE:
      return "read image";
    case CL_COMMAND_WRITE_IMAGE:
      return "write image";
    case CL_COMMAND_COPY_IMAGE:
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
      return "copy image";
    case CL_COMMAND_FILL_IMAGE:
      return "fill image";
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
      return "map";
    case CL_COMMAND_UNMAP_MEM_OBJECT:
      return "unmap";
    case CL_COMMAND_NATIVE_KERNEL:
      return "native kernel";
    case CL_COMMAND_MARKER:
    case CL_COMMAND_BARRIER:
      return "marker";
    default:
      return "command " + std::to_string(record.type);
  }
}

}  // namespace conclave::monitor
