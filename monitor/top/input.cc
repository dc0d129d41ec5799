// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/input.h"

#include <signal.h>

#include <algorithm>
#include <climits>

namespace conclave::monitor {
namespace {

constexpr int kPage = 10;
constexpr size_t kMostFilter = 64;

}  // namespace

Input::Action Input::press(int key, const std::vector<ProcessRates>& shown) {
  using Mode = ViewState::Mode;
  state_.message.clear();
  switch (state_.mode) {
    case Mode::kFilter:
      return press_in_filter(key);
    case Mode::kKill:
      return press_in_kill(key);
    case Mode::kHelp:
      state_.mode = Mode::kNormal;
      return {};
    case Mode::kNormal:
      break;
  }
  return press_normal(key, shown);
}

Input::Action Input::press_normal(int key, const std::vector<ProcessRates>& shown) {
  using Mode = ViewState::Mode;
  switch (key) {
    case 'q':
    case kF10:
      return {Action::kQuit};
    case ' ':
      return {Action::kRefresh};
    case '?':
    case 'h':
    case kF1:
      state_.mode = Mode::kHelp;
      return {};
    case '/':
    case '\\':
    case kF4:
      state_.mode = Mode::kFilter;
      return {};
    case 'k':
    case kF9:
      ask_to_kill(shown);
      return {};
    case 'I':
      state_.reversed = !state_.reversed;
      return {};
    case '[':
      state_.first_unit -= std::min<size_t>(state_.first_unit, kPage);
      return {};
    case ']':
      state_.first_unit = std::min<size_t>(state_.first_unit + kPage, share::kCuEntries - 1);
      return {};
    case kUp:
      move(shown, -1);
      return {};
    case kDown:
      move(shown, 1);
      return {};
    case kPageUp:
      move(shown, -kPage);
      return {};
    case kPageDown:
      move(shown, kPage);
      return {};
    case kHome:
      move(shown, -INT_MAX);
      return {};
    case kEnd:
      move(shown, INT_MAX);
      return {};
    default:
      sort_by(key);
      return {};
  }
}

bool Input::sort_by(int key) {
  constexpr int kKeys = static_cast<int>(kLastSortKey) + 1;
  const auto shift = [&](int by) {
    return static_cast<SortKey>((static_cast<int>(state_.sort) + kKeys + by) % kKeys);
  };
  switch (key) {
    case '<':
      state_.sort = shift(-1);
      return true;
    case '>':
    case kF6:
      state_.sort = shift(1);
      return true;
    default:
      break;
  }
  static constexpr char kLetters[] = {'P', 'W', 'L', 'G', 'M', 'N', 'U', 'C', 'D'};
  static_assert(sizeof kLetters == kKeys);
  const auto* letter = std::find(std::begin(kLetters), std::end(kLetters), key);
  if (letter == std::end(kLetters)) return false;
  state_.sort = static_cast<SortKey>(letter - kLetters);
  state_.reversed = false;
  return true;
}

void Input::move(const std::vector<ProcessRates>& shown, int by) {
  if (shown.empty()) return;
  int64_t at = 0;
  for (size_t i = 0; i < shown.size(); ++i)
    if (shown[i].use.pid == state_.selected_pid) at = static_cast<int64_t>(i);
  at = std::clamp<int64_t>(at + by, 0, static_cast<int64_t>(shown.size()) - 1);
  state_.selected_pid = shown[static_cast<size_t>(at)].use.pid;
}

// The segment may name any process, so the question is about what the system knows of it.
void Input::ask_to_kill(const std::vector<ProcessRates>& shown) {
  if (shown.empty()) return;
  move(shown, 0);
  const std::string command = describe_(state_.selected_pid);
  if (command.empty()) {
    state_.message = "Process " + std::to_string(state_.selected_pid) + " has ended.";
    return;
  }
  state_.kill_pid = state_.selected_pid;
  state_.kill_command = command;
  state_.mode = ViewState::Mode::kKill;
}

Input::Action Input::press_in_filter(int key) {
  std::string& filter = state_.filter;
  if (key == kEnter || key == kF4) {
    state_.mode = ViewState::Mode::kNormal;
  } else if (key == kEscape) {
    filter.clear();
    state_.mode = ViewState::Mode::kNormal;
  } else if (key == kBackspace) {
    // A character of UTF-8 may have several bytes.
    while (!filter.empty() && (static_cast<unsigned char>(filter.back()) & 0xc0) == 0x80)
      filter.pop_back();
    if (!filter.empty()) filter.pop_back();
  } else if (key >= ' ' && key <= 0xff && filter.size() < kMostFilter) {
    filter += static_cast<char>(key);
  }
  return {};
}

Input::Action Input::press_in_kill(int key) {
  state_.mode = ViewState::Mode::kNormal;
  if (key == 'y' || key == 'Y') return {Action::kSignal, state_.kill_pid, SIGTERM};
  if (key == '9') return {Action::kSignal, state_.kill_pid, SIGKILL};
  state_.message = "Process " + std::to_string(state_.kill_pid) + " goes on.";
  return {};
}

}  // namespace conclave::monitor
