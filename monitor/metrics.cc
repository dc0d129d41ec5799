// SPDX-License-Identifier: Apache-2.0
#include "monitor/metrics.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace conclave::monitor {
namespace {

// A metric family. Its unit, if any, is the end of its name.
struct Family {
  const char* name;  // without the ending of a counter
  const char* unit;
  bool counts;  // a counter, else a gauge
  const char* help;
};

// What a sample is about.
using Labels = std::vector<std::pair<const char*, std::string>>;

std::string seconds(uint64_t ns) {
  char text[40];
  snprintf(text, sizeof text, "%llu.%09llu", static_cast<unsigned long long>(ns / 1'000'000'000),
           static_cast<unsigned long long>(ns % 1'000'000'000));
  return text;
}

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text;
}

template <auto member>
std::string number(const auto& use) {
  return std::to_string(use.*member);
}
template <auto member>
std::string time(const auto& use) {
  return seconds(use.*member);
}

template <class Use>
struct Metric {
  Family family;
  std::string (*value)(const Use&);
};

constexpr Metric<HeapTotal> kOfHeaps[] = {
    {{"conclave_heap_size_bytes", "bytes", false, "Size of the heap."}, number<&HeapTotal::size>},
    {{"conclave_heap_available_bytes", "bytes", false, "Free memory of the heap."},
     number<&HeapTotal::available>},
};

constexpr Metric<UnitUse> kOfUnits[] = {
    {{"conclave_compute_unit_busy_seconds", "seconds", true,
      "CU time that processes have used on the compute unit."},
     time<&UnitUse::busy_ns>},
    {{"conclave_compute_unit_hand_overs", "", true,
      "How often a process has handed the compute unit to another one."},
     number<&UnitUse::hand_overs>},
    {{"conclave_compute_unit_active", "", false, "1 while work-groups run on the compute unit."},
     [](const UnitUse& use) { return std::string(use.state == "active" ? "1" : "0"); }},
    {{"conclave_compute_unit_waiting_processes", "", false,
      "How many processes wait for the compute unit."},
     [](const UnitUse& use) { return std::to_string(use.waiting.size()); }},
};

constexpr Metric<ProcessUse> kOfProcesses[] = {
    {{"conclave_process_busy_seconds", "seconds", true, "CU time that the process has used."},
     time<&ProcessUse::busy_ns>},
    {{"conclave_process_waiting_seconds", "seconds", true,
      "Time that the process has waited for compute units."},
     time<&ProcessUse::wait_ns>},
    {{"conclave_process_launches", "", true, "Kernels that the process has run."},
     number<&ProcessUse::launches>},
    {{"conclave_process_work_groups", "", true, "Work-groups that the process has run."},
     number<&ProcessUse::work_groups>},
    {{"conclave_process_compiles", "", true,
      "How often the process has had the compiler build a program or a kernel."},
     number<&ProcessUse::compiles>},
    {{"conclave_process_cache_hits", "", true,
      "How often the process has found a built program or kernel in the cache on disk."},
     number<&ProcessUse::cache_hits>},
    {{"conclave_process_faults", "", true, "Faults in kernels of the process."},
     number<&ProcessUse::faults>},
    {{"conclave_process_queued_commands", "", false,
      "Commands of the process that wait for a compute unit."},
     number<&ProcessUse::queued>},
    {{"conclave_process_heap_bytes", "bytes", false, "Device memory that the process has."},
     number<&ProcessUse::heap_bytes>},
    {{"conclave_process_contexts", "", false, "OpenCL contexts that the process has."},
     number<&ProcessUse::contexts>},
    {{"conclave_process_start_time_seconds", "seconds", false,
      "When the process began to use the device, since the epoch."},
     time<&ProcessUse::since_ns>},
};

Labels labels_of(const HeapTotal& heap) {
  return {{"heap", heap.name}};
}
Labels labels_of(const UnitUse& unit) {
  return {{"unit", std::to_string(unit.unit)}};
}
Labels labels_of(const ProcessUse& process) {
  return {{"pid", std::to_string(process.pid)},
          {"uid", std::to_string(process.uid)},
          {"name", process.name}};
}

}  // namespace

SegmentMetrics::SegmentMetrics(std::string share, const share::Segment& segment)
    : share_(std::move(share)),
      device_(read_device(segment)),
      processes_(read_processes(segment.layout())),
      units_(read_ever_used_units(segment.layout())),
      heaps_(read_heap_totals(segment.layout())) {
  // The daemon stands in the table for other users.
  std::erase_if(processes_, [&](const ProcessUse& process) {
    return !process.alive || process.pid == device_.daemon_pid;
  });
  // A forged table may name a process twice, but no two samples may have the same labels.
  std::ranges::stable_sort(processes_, {}, &ProcessUse::pid);
  const auto again = std::ranges::unique(processes_, {}, &ProcessUse::pid);
  processes_.erase(again.begin(), again.end());
  process_count_ = processes_.size();
  if (processes_.size() > kMostProcesses) processes_.resize(kMostProcesses);
}

class MetricsWriter {
 public:
  explicit MetricsWriter(MetricsFormat format)
      : open_metrics_(format == MetricsFormat::kOpenMetrics) {}

  std::string text(const std::vector<SegmentMetrics>& segments) {
    begin({"conclave_build_info", "", false, "The version of Conclave that has written this."});
    sample({{"version", CONCLAVE_VERSION}}, "1");
    if (segments.empty()) return end();
    begin({"conclave_scheduler_info", "", false, "How processes take turns."});
    for (const SegmentMetrics& s : segments)
      sample({{"share", s.share_}, {"scheduler", s.device_.policy}}, "1");
    begin({"conclave_processes", "", false, "How many processes use the device."});
    for (const SegmentMetrics& s : segments)
      sample({{"share", s.share_}}, std::to_string(s.process_count_));
    write(kOfHeaps, segments, &SegmentMetrics::heaps_);
    write(kOfUnits, segments, &SegmentMetrics::units_);
    write(kOfProcesses, segments, &SegmentMetrics::processes_);
    return end();
  }

 private:
  template <class Use, size_t size>
  void write(const Metric<Use> (&metrics)[size], const std::vector<SegmentMetrics>& segments,
             std::vector<Use> SegmentMetrics::* uses) {
    for (const Metric<Use>& metric : metrics) {
      begin(metric.family);
      for (const SegmentMetrics& segment : segments)
        for (const Use& use : segment.*uses) {
          Labels labels = labels_of(use);
          labels.insert(labels.begin(), {"share", segment.share_});
          sample(labels, metric.value(use));
        }
    }
  }

  // The formats differ in what the name of a counter's family is.
  void begin(const Family& family) {
    sample_name_ = std::string(family.name) + (family.counts ? "_total" : "");
    const std::string name = open_metrics_ ? family.name : sample_name_;
    text_ += "# HELP " + name + " " + family.help + "\n";
    text_ += "# TYPE " + name + (family.counts ? " counter\n" : " gauge\n");
    if (open_metrics_ && *family.unit) text_ += "# UNIT " + name + " " + family.unit + "\n";
  }
  void sample(const Labels& labels, const std::string& value) {
    text_ += sample_name_ + "{";
    for (size_t i = 0; i < labels.size(); ++i)
      text_ +=
          std::string(i ? "," : "") + labels[i].first + "=\"" + escaped(labels[i].second) + "\"";
    text_ += "} " + value + "\n";
  }
  std::string end() {
    if (open_metrics_) text_ += "# EOF\n";
    return std::move(text_);
  }

  const bool open_metrics_;
  std::string sample_name_, text_;
};

const char* media_type(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metrics_text(const std::vector<SegmentMetrics>& segments, MetricsFormat format) {
  return MetricsWriter(format).text(segments);
}

}  // namespace conclave::monitor
