// SPDX-License-Identifier: Apache-2.0
#include "monitor/examine.h"

#include <algorithm>
#include <cstdio>

#include "monitor/check_config.h"
#include "monitor/find_segment.h"
#include "monitor/snapshot.h"
#include "monitor/snapshot_json.h"
#include "monitor/table.h"
#include "monitor/texts.h"
#include "monitor/xclbin_layout_report.h"
#include "platform/base/clock.h"
#include "platform/base/error.h"

namespace conclave::monitor {
namespace {

// "-" if there is no process.
std::string process(uint32_t pid) {
  return pid ? number(pid) : "-";
}

std::string milliseconds(uint64_t ns) {
  char text[32];
  snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1e6);
  return text;
}

std::string joined(const std::vector<uint32_t>& list) {
  std::string text;
  for (uint32_t item : list) text += (text.empty() ? "" : ",") + number(item);
  return or_dash(text);
}

class Report {
 public:
  explicit Report(const ExamineOptions& options)
      : options_(options), segment_(find_segment(options.segment)) {}

  void print() const {
    if (wanted("device")) print_device();
    if (wanted("configuration")) printf("Configuration\n%s\n", config_table(Config::get()).c_str());
    if (wanted("heaps") && segment_) print_heaps();
    if (wanted("contexts") && segment_) print_contexts();
    if (wanted("xclbin") && segment_) print_xclbin();
    if (wanted("access-modes") && segment_) print_access();
    if (wanted("compute-units") && segment_) print_units();
    print_named();
  }

  void print_json() const {
    Json json = Json::object();
    if (wanted("device"))
      json["device"] = segment_ ? to_json(read_device(*segment_)) : Json(nullptr);
    if (wanted("configuration")) json["configuration"] = to_json(Config::get());
    const auto add = [&](const char* report, auto read) {
      if (wanted(report))
        json[report] = segment_ ? to_json(read(segment_->layout())) : Json::array();
    };
    add("heaps", read_heaps);
    add("contexts", read_processes);
    if (wanted("xclbin")) {
      const auto xclbin = segment_ ? read_xclbin(segment_->layout()) : std::nullopt;
      json["xclbin"] = xclbin ? to_json(*xclbin) : Json(nullptr);
    }
    add("access-modes", [&](const share::Layout&) { return access(); });
    add("compute-units", read_units);
    add_named(json);
    fputs(to_text(json).c_str(), stdout);
  }

 private:
  bool wanted(const std::string& report) const {
    const auto& reports = options_.reports;
    return reports.empty() || std::find(reports.begin(), reports.end(), report) != reports.end();
  }

  bool named(const std::string& report) const {
    const auto& reports = options_.reports;
    return std::find(reports.begin(), reports.end(), report) != reports.end();
  }

  void print_named() const {
    if (named("dynamic-regions"))
      fputs(dynamic_region_text(segment_ ? read_dynamic_region(segment_->layout()) : std::nullopt)
                .c_str(),
            stdout);
    if (named("aie")) fputs(graphs_text(array()).c_str(), stdout);
    if (named("aie-shim")) fputs(streams_text(array()).c_str(), stdout);
  }
  void add_named(Json& json) const {
    if (named("dynamic-regions")) {
      const auto region = segment_ ? read_dynamic_region(segment_->layout()) : std::nullopt;
      json["dynamic-regions"] = region ? to_json(*region) : Json(nullptr);
    }
    if (named("aie")) json["aie"] = graphs_json(array());
    if (named("aie-shim")) json["aie-shim"] = streams_json(array());
  }
  Array array() const {
    return segment_ ? read_array(*segment_) : Array{"No xclbin is loaded.", {}, {}};
  }

  std::vector<AccessUse> access() const {
    std::vector<AccessUse> uses = read_access(segment_->layout());
    if (!uses.empty()) add_graph_names(uses, array());
    return uses;
  }

  void print_device() const {
    printf("Device\n");
    if (!segment_) {
      printf("  Nobody uses it: there is no shared segment.\n\n");
      return;
    }
    const Device device = read_device(*segment_);
    printf("  Segment    %s, %s KiB, made %s\n", device.segment.c_str(),
           number(device.segment_bytes / 1024).c_str(), local_time(device.created_ns).c_str());
    printf("  Scheduler  %s, time slice %u us\n", device.policy.c_str(), device.time_slice_us);
    printf("  Daemon     %s\n",
           device.daemon_pid ? ("ti-mctd, process " + number(device.daemon_pid)).c_str() : "none");
    if (device.exclusive_pid) printf("  Held alone by process %u\n", device.exclusive_pid);
    printf("\n");
  }

  void print_heaps() const {
    Table table({"Heap", "Address", "Size", "Available", "Blocks"});
    for (const HeapUse& heap : read_heaps(segment_->layout())) {
      char address[32];
      snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(heap.base));
      const auto blocks =
          std::count_if(heap.blocks.begin(), heap.blocks.end(),
                        [](const HeapUse::Block& block) { return block.allocated; });
      table.add({heap.name, address, number(heap.size), number(heap.available),
                 number(static_cast<uint64_t>(blocks))});
    }
    printf("Heaps (bytes)\n%s\n", table.text().c_str());
  }

  void print_contexts() const {
    Table table({"PID", "User", "Since", "Contexts", "CUs", "Launches", "Work-groups", "Busy ms",
                 "Wait ms", "Heap bytes", "Kernel", "Command"});
    for (const ProcessUse& use : read_processes(segment_->layout()))
      table.add({number(use.pid), user_name(use.uid), local_time(use.since_ns),
                 number(use.contexts), ranges(use.units), number(use.launches),
                 number(use.work_groups), milliseconds(use.busy_ns), milliseconds(use.wait_ns),
                 number(use.heap_bytes), or_dash(use.kernel),
                 (use.alive ? "" : "(dead) ") + or_dash(use.command)});
    printf("Contexts\n%s\n", table.text().c_str());
  }

  void print_xclbin() const {
    const std::optional<XclbinUse> xclbin = read_xclbin(segment_->layout());
    printf("Xclbin\n");
    if (!xclbin) {
      printf("  None is loaded.\n\n");
      return;
    }
    printf("  UUID    %s\n  Loaded  %s, by process %u\n", xclbin->uuid.c_str(),
           local_time(xclbin->since_ns).c_str(), xclbin->loader);
    Table units({"Index", "Name", "CUs", "Contexts"});
    for (size_t i = 0; i < xclbin->compute_units.size(); ++i) {
      const XclbinUse::ComputeUnit& unit = xclbin->compute_units[i];
      std::string contexts;
      for (const XclbinUse::Context& context : unit.contexts)
        contexts += (contexts.empty() ? "" : ", ") + number(context.pid) +
                    (context.exclusive ? " (exclusive)" : "");
      units.add({number(i), unit.name, ranges(unit.units), or_dash(contexts)});
    }
    printf("%s", units.text().c_str());
    if (!xclbin->holders.empty()) {
      Table holders({"PID", "Since", "Contexts", "Command"});
      for (const XclbinUse::Holder& holder : xclbin->holders)
        holders.add({number(holder.pid), local_time(holder.since_ns), number(holder.contexts),
                     or_dash(holder.command)});
      printf("  In use by\n%s", holders.text().c_str());
    }
    printf("\n");
  }

  void print_access() const {
    const std::vector<AccessUse> uses = access();
    printf("Access modes\n");
    if (uses.empty()) {
      printf("  Nobody has the array or a graph open.\n\n");
      return;
    }
    Table table({"PID", "Since", "Array", "Graphs", "Command"});
    for (const AccessUse& use : uses) {
      std::string graphs;
      for (const AccessUse::Graph& graph : use.graphs)
        graphs += (graphs.empty() ? "" : ", ") + number(graph.number) +
                  (graph.name.empty() ? "" : " " + graph.name) + " (" + graph.mode + ")";
      table.add({number(use.pid), local_time(use.since_ns), or_dash(use.array), or_dash(graphs),
                 or_dash(use.command)});
    }
    printf("%s\n", table.text().c_str());
  }

  void print_units() const {
    Table table({"CU", "State", "PID", "Guest", "Hand-overs", "Kernel", "Waiting"});
    for (const UnitUse& unit : read_units(segment_->layout()))
      table.add({number(unit.unit), unit.state, process(unit.holder), process(unit.guest),
                 number(unit.hand_overs), or_dash(unit.kernel), joined(unit.waiting)});
    printf("Compute units\n%s", table.text().c_str());
  }

  const ExamineOptions& options_;
  std::unique_ptr<share::Segment> segment_;
};

}  // namespace

int examine(const ExamineOptions& options) {
  try {
    const Report report(options);
    options.json ? report.print_json() : report.print();
    return 0;
  } catch (const Error& error) {
    fprintf(stderr, "conclave examine: %s\n", error.what());
    return 1;
  }
}

}  // namespace conclave::monitor
