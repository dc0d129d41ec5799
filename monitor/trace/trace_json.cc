// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace/trace_json.h"

#include <algorithm>

#include "monitor/snapshot_json.h"

namespace conclave::monitor {
namespace {

using share::TraceRecord;

// The format's word for a group of lanes is a process. The compute units are one, with a number that
// no process has.
constexpr uint32_t kDevice = 10'000'000;
// Viewers take lane 0 for an idle thread.
uint32_t lane_of(uint32_t unit) {
  return unit + 1;
}
uint32_t guest_lane(uint32_t unit, size_t i) {
  return 1000 * (unit + 1) + static_cast<uint32_t>(i);
}
enum FirstLane : uint32_t { kCommands = 1, kWaits = 1000, kBuilds = 2000 };

// There may be millions of events, so they are written one by one.
class Writer {
 public:
  Writer(const Timeline& timeline, FILE* file) : timeline_(timeline), file_(file) {}

  void write() {
    fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":", file_);
    Json lost = Json::object();
    for (const ProcessLanes& process : timeline_.processes)
      if (process.lost) lost[std::to_string(process.pid)] = process.lost;
    fputs(text({{"version", "conclave " CONCLAVE_VERSION},
                {"clock", "CLOCK_MONOTONIC"},
                {"lost-records", std::move(lost)}})
              .c_str(),
          file_);
    fputs(",\n\"traceEvents\":[", file_);
    name_group(kDevice, "Compute units", 0);
    for (const auto& [number, unit] : timeline_.units) write_unit(number, unit);
    for (uint32_t i = 0; i < timeline_.processes.size(); ++i) write_process(i);
    fputs("\n]}\n", file_);
  }

 private:
  static std::string text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void event(const Json& json) {
    fprintf(file_, "%s\n%s", is_first_ ? "" : ",", text(json).c_str());
    is_first_ = false;
  }
  static double us(uint64_t ns) { return static_cast<double>(ns) / 1000; }

  void name_group(uint32_t group, const std::string& name, uint32_t place) {
    event({{"ph", "M"}, {"pid", group}, {"name", "process_name"}, {"args", {{"name", name}}}});
    event({{"ph", "M"},
           {"pid", group},
           {"name", "process_sort_index"},
           {"args", {{"sort_index", place}}}});
  }
  void name_lane(uint32_t group, uint32_t lane, const std::string& name) {
    event({{"ph", "M"},
           {"pid", group},
           {"tid", lane},
           {"name", "thread_name"},
           {"args", {{"name", name}}}});
    event({{"ph", "M"},
           {"pid", group},
           {"tid", lane},
           {"name", "thread_sort_index"},
           {"args", {{"sort_index", lane}}}});
  }

  std::string label_of(uint32_t process) const {
    const ProcessLanes& lanes = timeline_.processes[process];
    return lanes.name + " " + std::to_string(lanes.pid);
  }

  void write_slice(const Slice& slice, uint32_t group, uint32_t lane, const char* category,
                   Json arguments) {
    event({{"ph", "X"},
           {"pid", group},
           {"tid", lane},
           {"cat", category},
           {"name", title_of(slice)},
           {"ts", us(slice.record.begin_ns)},
           {"dur", us(slice.record.end_ns - slice.record.begin_ns)},
           {"args", std::move(arguments)}});
  }

  void write_unit(uint32_t number, const UnitLanes& unit) {
    name_lane(kDevice, lane_of(number), "CU " + std::to_string(number));
    for (const Slice& run : unit.runs)
      write_slice(run, kDevice, lane_of(number), "run", run_arguments(run));
    for (size_t i = 0; i < unit.guests.size(); ++i) {
      const uint32_t lane = guest_lane(number, i);
      name_lane(kDevice, lane, "CU " + std::to_string(number) + " guests");
      for (const Slice& run : unit.guests[i])
        write_slice(run, kDevice, lane, "guest", run_arguments(run));
    }
    for (const HandOver& hand_over : unit.hand_overs)
      event({{"ph", "i"},
             {"pid", kDevice},
             {"tid", lane_of(number)},
             {"s", "t"},
             {"cat", "hand-over"},
             {"name", "hand-over"},
             {"ts", us(hand_over.at_ns)},
             {"args", {{"from", label_of(hand_over.from)}, {"to", label_of(hand_over.to)}}}});
  }

  Json run_arguments(const Slice& run) const {
    return {{"process", label_of(run.process)}, {"command", run.record.number}};
  }

  void write_process(uint32_t index) {
    const ProcessLanes& process = timeline_.processes[index];
    name_group(process.pid, label_of(index) + ": " + process.command, index + 1);
    write_lanes(process.commands, process.pid, kCommands, "commands", "command",
                [](const Slice& slice) { return command_arguments(slice); });
    write_lanes(process.waits, process.pid, kWaits, "waiting", "wait", [this](const Slice& slice) {
      write_arrow(slice);
      return wait_arguments(slice);
    });
    write_lanes(process.builds, process.pid, kBuilds, "builds", "build",
                [](const Slice& slice) { return Json{{"options", slice.record.name}}; });
    for (const Slice& fault : process.faults)
      event({{"ph", "i"},
             {"pid", process.pid},
             {"tid", kCommands},
             {"s", "p"},
             {"cat", "fault"},
             {"name", title_of(fault)},
             {"ts", us(fault.record.begin_ns)},
             {"args", {{"unit", fault.record.unit}}}});
  }

  template <class Arguments>
  void write_lanes(const std::vector<Lane>& lanes, uint32_t group, uint32_t first,
                   const std::string& name, const char* category, Arguments arguments) {
    for (size_t i = 0; i < lanes.size(); ++i) {
      const uint32_t lane = first + static_cast<uint32_t>(i);
      name_lane(group, lane, i == 0 ? name : name + " " + std::to_string(i + 1));
      for (const Slice& slice : lanes[i])
        write_slice(slice, group, lane, category, arguments(slice));
    }
  }

  static Json command_arguments(const Slice& slice) {
    Json json = {{"command", slice.record.number}, {"compute-units", slice.units}};
    if (slice.record.flags & TraceRecord::kDeviceWork)
      json["work-groups"] = slice.record.work_groups;
    if (!slice.has_times) return json;
    json["queued-ns"] = slice.record.queued_ns;
    json["submitted-ns"] = slice.record.submitted_ns;
    json["started-ns"] = slice.record.begin_ns;
    json["ended-ns"] = slice.record.end_ns;
    return json;
  }

  Json wait_arguments(const Slice& slice) const {
    return {{"command", slice.record.number},
            {"kernel", slice.record.name},
            {"waited-for", slice.waited_for == Slice::kNobody ? Json(nullptr)
                                                              : Json(label_of(slice.waited_for))}};
  }

  // From the process that had the compute unit to the one that waited for it.
  void write_arrow(const Slice& wait) {
    if (wait.waited_for == Slice::kNobody || wait.waited_for == wait.process) return;
    const auto unit = timeline_.units.find(wait.record.unit);
    if (unit == timeline_.units.end()) return;
    const Lane& runs = unit->second.runs;
    const auto next =
        std::lower_bound(runs.begin(), runs.end(), wait.record.end_ns,
                         [](const Slice& s, uint64_t at) { return s.record.begin_ns < at; });
    if (next == runs.begin() || next == runs.end() || next->process != wait.process) return;
    const TraceRecord& last = std::prev(next)->record;
    const Json common = {{"pid", kDevice},
                         {"tid", lane_of(wait.record.unit)},
                         {"cat", "hand-over"},
                         {"name", "waited for"},
                         {"id", ++arrows_}};
    Json from = common, to = common;
    from.update(
        {{"ph", "s"}, {"ts", us(last.end_ns > last.begin_ns ? last.end_ns - 1 : last.end_ns)}});
    to.update({{"ph", "f"}, {"bp", "e"}, {"ts", us(next->record.begin_ns)}});
    event(from);
    event(to);
  }

  const Timeline& timeline_;
  FILE* file_;
  bool is_first_ = true;
  uint64_t arrows_ = 0;
};

}  // namespace

void write_trace_json(const Timeline& timeline, FILE* file) {
  Writer(timeline, file).write();
}

}  // namespace conclave::monitor
