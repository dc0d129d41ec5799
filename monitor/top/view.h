// SPDX-License-Identifier: Apache-2.0
// What `conclave top` shows: the lines of a screen as text with styles. Knows no terminal.
#ifndef CONCLAVE_MONITOR_TOP_VIEW_H_
#define CONCLAVE_MONITOR_TOP_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/snapshot_json.h"
#include "monitor/top/rates.h"

namespace conclave::monitor {

// Part of a line. A process's colour is its number; the terminal chooses which colour that is.
struct Span {
  enum Style : uint8_t { kPlain, kBold, kDim, kTitle, kSelected };
  static constexpr uint32_t kNoProcess = ~0u;

  std::string text;
  Style style = kPlain;
  uint32_t process = kNoProcess;
};
using Line = std::vector<Span>;

// By what processes are sorted. The greatest comes first, but for numbers and names.
enum class SortKey : uint8_t {
  kBusy,
  kWaiting,
  kLaunches,
  kWorkGroups,
  kHeap,
  kPid,
  kUser,
  kCommand,
  kQueued
};
inline constexpr SortKey kLastSortKey = SortKey::kQueued;
const char* name_of(SortKey key);

// What the user has chosen.
struct ViewState {
  enum class Mode : uint8_t { kNormal, kFilter, kKill, kHelp };

  Mode mode = Mode::kNormal;
  SortKey sort = SortKey::kBusy;
  bool reversed = false;
  std::string filter;         // part of the command, the user's name, the kernel or the pid
  uint32_t selected_pid = 0;  // 0: the first one
  size_t first_unit = 0;      // how many compute units are scrolled away
  std::string message;        // below the table, until the next key
  // With kKill.
  uint32_t kill_pid = 0;
  std::string kill_command;
};

// The glyphs and colours that the terminal has.
struct Look {
  bool utf8 = false;
  bool colors = false;
};

// Those that the filter lets through, in order.
std::vector<ProcessRates> chosen(const Rates& rates, const ViewState& state);

// `rows` lines that are at most `columns` wide. `rates` null: nobody uses the device.
std::vector<Line> layout_screen(const Rates* rates, const History& history, const ViewState& state,
                                const Look& look, int rows, int columns);

// One interval as plain text, and for programs.
std::string plain_text(const Rates& rates, const ViewState& state);
Json to_json(const Rates& rates, const ViewState& state);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_VIEW_H_
