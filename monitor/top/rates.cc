// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/rates.h"

#include <algorithm>
#include <set>

#include "platform/base/clock.h"

namespace conclave::monitor {
namespace {

// How much a counter has grown. It starts again where an entry has a new user.
double grown(uint64_t before, uint64_t after) {
  return after > before ? static_cast<double>(after - before) : 0;
}

const ProcessUse* find(const Sample& sample, const ProcessUse& same) {
  for (const ProcessUse& use : sample.processes)
    if (use.pid == same.pid && use.since_ns == same.since_ns) return &use;
  return nullptr;
}

const UnitUse* find(const Sample& sample, uint32_t unit) {
  for (const UnitUse& use : sample.units)
    if (use.unit == unit) return &use;
  return nullptr;
}

bool is_active(const UnitUse& use) {
  return use.state == "active";
}

UnitRates rates_of(const UnitUse* before, const UnitUse& after, double ns) {
  UnitRates rates;
  rates.use = after;
  if (!before || ns <= 0) return rates;
  rates.busy = std::min(1.0, grown(before->busy_ns, after.busy_ns) / ns);
  // Time is charged when work-groups end. One that takes longer than the interval holds the compute
  // unit meanwhile.
  if (after.busy_ns == before->busy_ns && is_active(*before) && is_active(after) &&
      before->holder == after.holder)
    rates.busy = 1;
  rates.hand_overs = grown(before->hand_overs, after.hand_overs) / ns * 1e9;
  return rates;
}

// High priority is charged with a fourth of the time, low priority with four times of it.
Priority priority_of(double busy, double cost) {
  if (busy <= 0 || cost <= 0) return Priority::kUnknown;
  if (busy > 2 * cost) return Priority::kHigh;
  return cost > 2 * busy ? Priority::kLow : Priority::kNormal;
}

ProcessRates rates_of(const ProcessUse* before, const ProcessUse& after, double ns) {
  const ProcessUse none;
  const ProcessUse& then = before ? *before : none;
  ProcessRates rates;
  rates.use = after;
  if (ns <= 0) return rates;
  const double per_second = 1e9 / ns;
  rates.busy = grown(then.busy_ns, after.busy_ns) / ns;
  rates.waiting = grown(then.wait_ns, after.wait_ns) / ns;
  rates.launches = grown(then.launches, after.launches) * per_second;
  rates.work_groups = grown(then.work_groups, after.work_groups) * per_second;
  rates.priority =
      priority_of(grown(then.busy_ns, after.busy_ns), grown(then.cost_ns, after.cost_ns));
  // What it has not shown in this interval it may have shown before.
  if (rates.priority == Priority::kUnknown)
    rates.priority =
        priority_of(static_cast<double>(after.busy_ns), static_cast<double>(after.cost_ns));
  return rates;
}

// What units show of a process that no charge has shown yet.
void add_units(ProcessRates& process, const std::vector<UnitRates>& units) {
  double held = 0;
  for (const UnitRates& unit : units) {
    const bool holds = unit.use.holder == process.use.pid;
    if (!(holds && unit.use.state != "idle") && unit.use.guest != process.use.pid) continue;
    process.on_units.push_back(unit.use.unit);
    if (holds) held += unit.busy;
  }
  if (process.busy == 0 && held > 0) process.busy = held;
  const size_t most = std::max<size_t>({process.use.units.size(), process.on_units.size(), 1});
  process.busy = std::min(process.busy, static_cast<double>(most));
}

}  // namespace

const char* name_of(Priority priority) {
  switch (priority) {
    case Priority::kLow:
      return "low";
    case Priority::kNormal:
      return "normal";
    case Priority::kHigh:
      return "high";
    case Priority::kUnknown:
      break;
  }
  return "";
}

Sample take_sample(const share::Segment& segment) {
  Sample sample;
  const uint32_t daemon = read_device(segment).daemon_pid;
  sample.at_ns = now_ns();
  sample.processes = read_processes(segment.layout());
  std::erase_if(sample.processes, [&](const ProcessUse& use) {
    return !use.alive || (daemon != 0 && use.pid == daemon);
  });
  sample.units = read_units(segment.layout());
  sample.heaps = read_heap_totals(segment.layout());
  return sample;
}

Rates rates_between(const Sample& before, const Sample& after) {
  Rates rates;
  const double ns =
      after.at_ns > before.at_ns ? static_cast<double>(after.at_ns - before.at_ns) : 0;
  rates.seconds = ns / 1e9;
  rates.heaps = after.heaps;
  for (const UnitUse& unit : after.units)
    rates.units.push_back(rates_of(find(before, unit.unit), unit, ns));
  for (const ProcessUse& process : after.processes) {
    rates.processes.push_back(rates_of(find(before, process), process, ns));
    add_units(rates.processes.back(), rates.units);
  }
  return rates;
}

void History::add(const Rates& rates) {
  std::set<uint32_t> present;
  for (const ProcessRates& process : rates.processes) {
    present.insert(process.use.pid);
    if (numbers_.try_emplace(process.use.pid, next_number_).second) ++next_number_;
  }
  std::set<uint32_t> shown;
  for (const UnitRates& unit : rates.units) {
    std::deque<Moment>& moments = units_[unit.use.unit];
    shown.insert(unit.use.unit);
    moments.push_back({unit.busy, unit.use.holder});
    if (moments.size() > kMostMoments) moments.pop_front();
  }
  std::erase_if(units_, [&](const auto& unit) { return !shown.contains(unit.first); });
  // Those who have gone still have their colour in the bars.
  if (numbers_.size() > 4 * present.size() + 1024)
    std::erase_if(numbers_, [&](const auto& entry) { return !present.contains(entry.first); });
}

const std::deque<History::Moment>& History::of(uint32_t unit) const {
  static const std::deque<Moment> none;
  const auto found = units_.find(unit);
  return found == units_.end() ? none : found->second;
}

uint32_t History::number_of(uint32_t pid) const {
  const auto found = numbers_.find(pid);
  return found == numbers_.end() ? 0 : found->second;
}

}  // namespace conclave::monitor
