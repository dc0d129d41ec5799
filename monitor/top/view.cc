// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/view.h"

#include <algorithm>
#include <cmath>

#include "monitor/table.h"
#include "monitor/texts.h"
#include "monitor/top/fitted.h"
#include "platform/base/clock.h"

namespace conclave::monitor {
namespace {

// A compute unit with its kernel fills a line; without, several fit in one.
constexpr int kBriefColumns = 26;
constexpr int kBriefBar = 10;
constexpr int kLeastBar = 10, kMostBar = 60;
// Title, head of the table, keys, and some processes.
constexpr int kRowsForProcesses = 8;
constexpr int kColumnsForGroups = 100;

std::string percent(double part) {
  return number(static_cast<uint64_t>(std::lround(std::max(0.0, part) * 100)));
}

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) { return tolower(a) == tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool matches(const ProcessRates& process, const std::string& filter) {
  return filter.empty() || contains(process.use.command, filter) ||
         contains(process.use.kernel, filter) || contains(user_name(process.use.uid), filter) ||
         number(process.use.pid) == filter;
}

// Whether `a` stands above `b`.
bool precedes(const ProcessRates& a, const ProcessRates& b, SortKey key) {
  const auto greater = [&](auto x, auto y) { return x != y ? x > y : a.use.pid < b.use.pid; };
  const auto less = [&](const auto& x, const auto& y) {
    return x != y ? x < y : a.use.pid < b.use.pid;
  };
  switch (key) {
    case SortKey::kBusy:
      return greater(a.busy, b.busy);
    case SortKey::kWaiting:
      return greater(a.waiting, b.waiting);
    case SortKey::kLaunches:
      return greater(a.launches, b.launches);
    case SortKey::kWorkGroups:
      return greater(a.work_groups, b.work_groups);
    case SortKey::kHeap:
      return greater(a.use.heap_bytes, b.use.heap_bytes);
    case SortKey::kUser:
      return less(user_name(a.use.uid), user_name(b.use.uid));
    case SortKey::kCommand:
      return less(a.use.command, b.use.command);
    case SortKey::kQueued:
      return greater(a.use.queued, b.use.queued);
    case SortKey::kPid:
      break;
  }
  return a.use.pid < b.use.pid;
}

double busy_units(const Rates& rates) {
  double sum = 0;
  for (const UnitRates& unit : rates.units) sum += unit.busy;
  return sum;
}

// Lays out one screen.
class Screen {
 public:
  Screen(const Rates* rates, const History& history, const ViewState& state, const Look& look,
         int rows, int columns)
      : rates_(rates),
        history_(history),
        state_(state),
        look_(look),
        rows_(std::max(rows, 1)),
        columns_(std::max(columns, 1)) {}

  std::vector<Line> lines() {
    add_title();
    if (state_.mode == ViewState::Mode::kHelp) {
      add_help();
    } else if (!rates_) {
      add("Nobody uses the device.");
    } else {
      add_units();
      add_processes();
    }
    lines_.resize(static_cast<size_t>(std::max(rows_ - 1, 1)));
    add_last_line();
    lines_.resize(static_cast<size_t>(rows_));
    return std::move(lines_);
  }

 private:
  void add(const std::string& text, Span::Style style = Span::kPlain) {
    lines_.push_back({{fitted(text, columns_, look_.utf8), style}});
  }

  void add_title() {
    const std::string time = local_time(realtime_ns()).substr(11);
    const int room = columns_ - static_cast<int>(time.size()) - 1;
    std::string text = " Conclave";
    if (rates_) {
      const auto count = static_cast<double>(std::max<size_t>(rates_->units.size(), 1));
      text += "  " + number(rates_->units.size()) + " CUs " + percent(busy_units(*rates_) / count) +
              "% busy  " + number(rates_->processes.size()) + " processes";
      for (const HeapTotal& heap : rates_->heaps) {
        const std::string part = "  " + heap.name + " " + short_bytes(heap.size - heap.available) +
                                 "/" + short_bytes(heap.size);
        if (static_cast<int>(text.size() + part.size()) < room) text += part;
      }
    }
    add(fitted(text, std::max(room, 0), look_.utf8) + time + " ", Span::kTitle);
  }

  // --- Compute units ---

  void add_units() {
    const int room = std::max(1, rows_ - kRowsForProcesses);
    const int count = static_cast<int>(rates_->units.size());
    const size_t first = std::min(state_.first_unit, rates_->units.size());
    const int left = count - static_cast<int>(first);
    if (left <= room) {
      for (size_t i = first; i < rates_->units.size(); ++i) add_unit(rates_->units[i]);
      return;
    }
    const int per_line = std::max(1, columns_ / kBriefColumns);
    const int shown = left <= room * per_line ? left : (room - 1) * per_line;
    for (int i = 0; i < shown; i += per_line) {
      Line line;
      for (int j = i; j < std::min(i + per_line, shown); ++j)
        add_brief(line, rates_->units[first + static_cast<size_t>(j)]);
      lines_.push_back(std::move(line));
    }
    if (shown < left) add("... and " + number(static_cast<uint64_t>(left - shown)) + " more ([ ])");
  }

  void add_unit(const UnitRates& unit) {
    const int bar = std::clamp(columns_ - 50, kLeastBar, kMostBar);
    Line line = {{fitted("CU " + number(unit.use.unit), 7, look_.utf8), Span::kBold}};
    add_bar(line, unit.use.unit, bar);
    line.push_back({fitted_right(percent(unit.busy) + "%", 5) + " "});
    if (unit.use.holder == 0) {
      line.push_back({unit.use.state, Span::kDim});
    } else {
      std::string text = letter(unit.use.holder) + " " + number(unit.use.holder);
      if (unit.use.guest) text += " +" + number(unit.use.guest);
      text = fitted(text, 16, look_.utf8) + " " +
             (unit.use.kernel.empty() ? unit.use.state : unit.use.kernel);
      if (!unit.use.waiting.empty()) text += " (" + number(unit.use.waiting.size()) + " wait)";
      line.push_back(
          {fitted(text, columns_ - 13 - bar, look_.utf8), Span::kPlain, color_of(unit.use.holder)});
    }
    lines_.push_back(std::move(line));
  }

  void add_brief(Line& line, const UnitRates& unit) {
    line.push_back({fitted_right(number(unit.use.unit), 3) + " ", Span::kBold});
    add_bar(line, unit.use.unit, kBriefBar);
    const std::string who =
        unit.use.holder ? letter(unit.use.holder) + number(unit.use.holder) : "";
    line.push_back({fitted(fitted_right(percent(unit.busy) + "%", 5) + " " + who,
                           kBriefColumns - 4 - kBriefBar, look_.utf8),
                    Span::kPlain, color_of(unit.use.holder)});
  }

  // A column for each of the last intervals: how busy, and whose.
  void add_bar(Line& line, uint32_t unit, int width) {
    const auto& moments = history_.of(unit);
    const auto count = static_cast<int>(moments.size());
    if (count < width) line.push_back({std::string(static_cast<size_t>(width - count), ' ')});
    for (int i = std::max(0, count - width); i < count; ++i) {
      const History::Moment& moment = moments[static_cast<size_t>(i)];
      line.push_back({glyph(moment), Span::kPlain, color_of(moment.pid)});
    }
  }

  // Without colours the letter says who, and its case how busy.
  std::string glyph(const History::Moment& moment) const {
    static constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static constexpr char kShades[] = " .:-=+*%#";
    const int level = moment.busy <= 0.005 ? 0 : 1 + std::min(7, static_cast<int>(moment.busy * 8));
    if (level == 0) return " ";
    if (!look_.colors && moment.pid) {
      const std::string who = letter(moment.pid);
      return level > 4 ? who : std::string(1, static_cast<char>(tolower(who[0])));
    }
    return look_.utf8 ? kBlocks[level] : std::string(1, kShades[level]);
  }

  std::string letter(uint32_t pid) const {
    return std::string(1, static_cast<char>('A' + history_.number_of(pid) % 26));
  }
  uint32_t color_of(uint32_t pid) const { return pid ? history_.number_of(pid) : Span::kNoProcess; }

  // --- Processes ---

  void add_processes() {
    const std::vector<ProcessRates> list = chosen(*rates_, state_);
    add(row("", {"PID", "USER", "BUSY%", "WAIT%", "QUEUE", "PRIO", "LAUN/s", "GRPS/s", "HEAP",
                 "CUs", "KERNEL", "COMMAND"}),
        Span::kTitle);
    const auto room = static_cast<size_t>(std::max(1, rows_ - 1 - static_cast<int>(lines_.size())));
    size_t selected = 0;
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].use.pid == state_.selected_pid) selected = i;
    const size_t first = selected < room ? 0 : selected - room + 1;
    for (size_t i = first; i < std::min(list.size(), first + room); ++i) {
      const ProcessRates& p = list[i];
      const Span::Style style = i == selected ? Span::kSelected : Span::kPlain;
      lines_.push_back(
          {{fitted(row(letter(p.use.pid),
                       {number(p.use.pid), user_name(p.use.uid), percent(p.busy),
                        percent(p.waiting), short_number(p.use.queued),
                        or_dash(name_of(p.priority)), short_number(p.launches),
                        short_number(p.work_groups), short_bytes(p.use.heap_bytes),
                        ranges(p.on_units), or_dash(p.use.kernel), or_dash(p.use.command)}),
                   columns_, look_.utf8),
            style, history_.number_of(p.use.pid)}});
    }
    if (list.empty()) add(state_.filter.empty() ? "  No process." : "  No process matches.");
  }

  struct Cells {
    std::string pid, user, busy, waiting, queued, priority, launches, groups, heap, units, kernel,
        command;
  };
  // Narrow terminals have no room for work-groups.
  std::string row(const std::string& who, const Cells& cells) const {
    const bool u = look_.utf8;
    return fitted(who, 1, u) + fitted_right(cells.pid, 8) + " " + fitted(cells.user, 7, u) +
           fitted_right(cells.busy, 6) + fitted_right(cells.waiting, 6) +
           fitted_right(cells.queued, 6) + " " + fitted(cells.priority, 6, u) +
           fitted_right(cells.launches, 7) +
           (columns_ < kColumnsForGroups ? "" : fitted_right(cells.groups, 7)) +
           fitted_right(cells.heap, 6) + " " + fitted(cells.units, 4, u) + " " +
           fitted(cells.kernel, columns_ < kColumnsForGroups ? 8 : 12, u) + " " + cells.command;
  }

  // --- The rest ---

  void add_help() {
    static constexpr const char* kHelp[] = {
        "",
        "  up down PgUp PgDn  choose a process",
        "  < >                sort by another column    I  in reverse order",
        "  P W L G M N U C D  sort by busy, waiting, launches, groups, heap, PID, user,",
        "                     command, queued commands",
        "  / or F4            show processes with this in command, kernel or user;",
        "                     empty: all",
        "  k or F9            end the chosen process, after a question",
        "  [ ]                scroll the compute units",
        "  space              refresh now",
        "  q or F10           leave",
        "",
        "  A bar has a column for each of the last intervals: how busy the compute unit",
        "  was, in the colour of the process that had it. 100% BUSY is one compute unit",
        "  all the time.",
        "",
        "  Any key goes back.",
    };
    for (const char* line : kHelp) add(line);
  }

  void add_last_line() {
    using Mode = ViewState::Mode;
    std::string text = " q quit  / filter  < > sort: " + std::string(name_of(state_.sort)) +
                       (state_.reversed ? " (reversed)" : "") + "  k kill  ? help";
    if (!state_.filter.empty()) text += "  filter: " + state_.filter;
    if (!state_.message.empty()) text = " " + state_.message;
    if (state_.mode == Mode::kFilter) text = " Filter: " + state_.filter + "_";
    if (state_.mode == Mode::kKill)
      text = " End process " + number(state_.kill_pid) +
             "? y SIGTERM, 9 SIGKILL, other keys no: " + state_.kill_command;
    add(text, Span::kTitle);
  }

  const Rates* rates_;
  const History& history_;
  const ViewState& state_;
  const Look& look_;
  const int rows_, columns_;
  std::vector<Line> lines_;
};

}  // namespace

const char* name_of(SortKey key) {
  switch (key) {
    case SortKey::kBusy:
      return "busy";
    case SortKey::kWaiting:
      return "waiting";
    case SortKey::kLaunches:
      return "launches";
    case SortKey::kWorkGroups:
      return "work-groups";
    case SortKey::kHeap:
      return "heap";
    case SortKey::kPid:
      return "pid";
    case SortKey::kUser:
      return "user";
    case SortKey::kQueued:
      return "queued";
    case SortKey::kCommand:
      break;
  }
  return "command";
}

std::vector<ProcessRates> chosen(const Rates& rates, const ViewState& state) {
  std::vector<ProcessRates> list;
  for (const ProcessRates& process : rates.processes)
    if (matches(process, state.filter)) list.push_back(process);
  std::stable_sort(list.begin(), list.end(), [&](const ProcessRates& a, const ProcessRates& b) {
    return state.reversed ? precedes(b, a, state.sort) : precedes(a, b, state.sort);
  });
  return list;
}

std::vector<Line> layout_screen(const Rates* rates, const History& history, const ViewState& state,
                                const Look& look, int rows, int columns) {
  return Screen(rates, history, state, look, rows, columns).lines();
}

std::string plain_text(const Rates& rates, const ViewState& state) {
  Table units({"CU", "Busy %", "State", "PID", "Guest", "Hand-overs/s", "Kernel", "Waiting"});
  for (const UnitRates& unit : rates.units)
    units.add({number(unit.use.unit), percent(unit.busy), unit.use.state,
               unit.use.holder ? number(unit.use.holder) : "-",
               unit.use.guest ? number(unit.use.guest) : "-", short_number(unit.hand_overs),
               or_dash(unit.use.kernel), ranges(unit.use.waiting)});
  Table processes({"PID", "User", "Busy %", "Waiting %", "Queued", "Priority", "Launches/s",
                   "Work-groups/s", "Heap bytes", "CUs", "Kernel", "Command"});
  for (const ProcessRates& p : chosen(rates, state))
    processes.add({number(p.use.pid), user_name(p.use.uid), percent(p.busy), percent(p.waiting),
                   number(p.use.queued), or_dash(name_of(p.priority)), short_number(p.launches),
                   short_number(p.work_groups), number(p.use.heap_bytes), ranges(p.on_units),
                   or_dash(p.use.kernel), or_dash(p.use.command)});
  return "Compute units\n" + units.text() + "\nProcesses\n" + processes.text();
}

Json to_json(const Rates& rates, const ViewState& state) {
  Json units = Json::array(), processes = Json::array();
  for (const UnitRates& unit : rates.units) {
    Json json = to_json(unit.use);
    json["busy"] = unit.busy;
    json["hand-overs-per-second"] = unit.hand_overs;
    units.push_back(std::move(json));
  }
  for (const ProcessRates& process : chosen(rates, state)) {
    Json json = to_json(process.use);
    json["busy"] = process.busy;
    json["waiting"] = process.waiting;
    json["launches-per-second"] = process.launches;
    json["work-groups-per-second"] = process.work_groups;
    json["on-compute-units"] = process.on_units;
    const std::string priority = name_of(process.priority);
    json["priority"] = priority.empty() ? Json(nullptr) : Json(priority);
    processes.push_back(std::move(json));
  }
  return {{"seconds", rates.seconds},
          {"compute-units", std::move(units)},
          {"processes", std::move(processes)}};
}

}  // namespace conclave::monitor
