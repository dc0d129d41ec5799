// SPDX-License-Identifier: Apache-2.0
// What conclave top makes of two snapshots, of keys, and of the terminal's size.
#include <gtest/gtest.h>
#include <signal.h>

#include "monitor/texts.h"
#include "monitor/top/fitted.h"
#include "monitor/top/input.h"
#include "monitor/top/rates.h"
#include "monitor/top/view.h"

namespace conclave::monitor {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

ProcessUse process(uint32_t pid, uint64_t busy_ns, uint64_t launches) {
  ProcessUse use;
  use.pid = pid;
  use.since_ns = 1;
  use.units = {0, 1};
  use.busy_ns = busy_ns;
  use.launches = launches;
  use.command = "program-" + std::to_string(pid);
  return use;
}

UnitUse unit(uint32_t number, uint32_t holder, uint64_t busy_ns) {
  UnitUse use;
  use.unit = number;
  use.state = holder ? "active" : "free";
  use.holder = holder;
  use.busy_ns = busy_ns;
  return use;
}

TEST(TopRates, AreDifferencesPerSecond) {
  const Sample before{kSecond, {process(7, 100, 10)}, {unit(0, 7, 0)}, {}};
  const Sample after{3 * kSecond, {process(7, 100 + kSecond, 30)}, {unit(0, 7, kSecond / 2)}, {}};
  const Rates rates = rates_between(before, after);
  EXPECT_EQ(rates.seconds, 2);
  EXPECT_EQ(rates.processes.at(0).busy, 0.5);
  EXPECT_EQ(rates.processes[0].launches, 10);
  EXPECT_EQ(rates.units.at(0).busy, 0.25);
  EXPECT_EQ(rates.processes[0].on_units, std::vector<uint32_t>{0});
}

TEST(TopRates, ChargesTellThePriority) {
  const auto priority = [](uint64_t busy, uint64_t cost, uint64_t busy_before = 0,
                           uint64_t cost_before = 0) {
    ProcessUse before = process(7, busy_before, 0), after = process(7, busy, 0);
    before.cost_ns = cost_before;
    after.cost_ns = cost;
    const Rates rates = rates_between({kSecond, {before}, {}, {}}, {2 * kSecond, {after}, {}, {}});
    return std::string(name_of(rates.processes.at(0).priority));
  };
  EXPECT_EQ(priority(1000, 1000), "normal");
  EXPECT_EQ(priority(1000, 250), "high");
  EXPECT_EQ(priority(1000, 4000), "low");
  EXPECT_EQ(priority(5000, 4250, 4000, 4000), "high") << "of this interval";
  EXPECT_EQ(priority(1000, 4000, 1000, 4000), "low") << "of former ones, if it does nothing now";
  EXPECT_EQ(priority(0, 0), "");
  EXPECT_EQ(priority(UINT64_MAX, 0), "");
}

TEST(TopRates, ANewProcessUnderAnOldNumberCountsFromNothing) {
  ProcessUse reborn = process(7, 0, 4);
  reborn.since_ns = 2;
  const Rates rates =
      rates_between({kSecond, {process(7, 0, 1000)}, {}, {}}, {2 * kSecond, {reborn}, {}, {}});
  EXPECT_EQ(rates.processes.at(0).launches, 4);
}

TEST(TopRates, StayWithinBoundsWhateverTheSegmentSays) {
  const Sample before{2 * kSecond, {process(7, 5, 5)}, {unit(0, 7, 5)}, {}};
  for (const uint64_t value : {uint64_t{0}, UINT64_MAX})
    for (const uint64_t at : {uint64_t{0}, 2 * kSecond, 3 * kSecond}) {
      const Rates rates =
          rates_between(before, {at, {process(7, value, value)}, {unit(0, 7, value)}, {}});
      EXPECT_GE(rates.units.at(0).busy, 0);
      EXPECT_LE(rates.units[0].busy, 1);
      EXPECT_GE(rates.processes.at(0).busy, 0);
      EXPECT_LE(rates.processes[0].busy, 2) << "it has two compute units";
      EXPECT_GE(rates.processes[0].launches, 0);
    }
}

TEST(TopTexts, FitTheColumns) {
  EXPECT_EQ(fitted("abc", 5, true), "abc  ");
  EXPECT_EQ(fitted("abcdef", 4, true), "abcd");
  EXPECT_EQ(fitted("a\033[2Jb", 9, true), "a?[2Jb   ");
  EXPECT_EQ(fitted("gr\xc3\xbc\xc3\x9f", 4, false), "gr??");
  EXPECT_EQ(fitted("x\xff", 3, true), "x? ");
  EXPECT_EQ(fitted_right("12", 4), "  12");
  EXPECT_EQ(fitted_right("12345", 4), "12345");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1234), "1.2k");
  EXPECT_EQ(short_number(123'456), "123k");
  EXPECT_EQ(short_number(1e9), "1.0G");
  EXPECT_EQ(short_bytes(3 << 20), "3.0M");
}

// The screen, without styles.
std::vector<std::string> texts(const std::vector<Line>& lines) {
  std::vector<std::string> result;
  for (const Line& line : lines) {
    std::string text;
    for (const Span& span : line) text += span.text;
    result.push_back(text);
  }
  return result;
}

TEST(TopView, FitsEveryTerminal) {
  Rates rates;
  History history;
  for (uint32_t i = 0; i < 64; ++i) {
    rates.units.push_back({unit(i, 1 + i % 3, 0), 0.5, 0});
    rates.processes.push_back({process(1 + i, 0, 0), 0.1, 0, 0, 0, {}, {}});
  }
  for (int i = 0; i < 200; ++i) history.add(rates);
  for (const int rows : {1, 2, 3, 10, 24, 100})
    for (const int columns : {1, 2, 20, 80, 132, 300})
      for (const bool colors : {false, true}) {
        const auto lines = texts(
            layout_screen(&rates, history, {}, {.utf8 = false, .colors = colors}, rows, columns));
        EXPECT_EQ(lines.size(), static_cast<size_t>(rows));
        if (columns < 80) continue;  // narrower lines are cut off by the terminal
        for (const std::string& line : lines) EXPECT_LE(line.size(), static_cast<size_t>(columns));
      }
}

TEST(TopView, TheHelpFitsEightyColumns) {
  const Rates rates;
  const History history;
  ViewState state;
  state.mode = ViewState::Mode::kHelp;
  const auto of_width = [&](int columns) {
    auto lines = texts(layout_screen(&rates, history, state, {}, 24, columns));
    lines.erase(lines.begin());  // the title ends at the right
    for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
    return lines;
  };
  EXPECT_EQ(of_width(80), of_width(300));
}

TEST(TopView, ManyComputeUnitsShareLines) {
  Rates rates;
  const History history;
  for (uint32_t i = 0; i < 40; ++i) rates.units.push_back({unit(i, 0, 0), 0.5, 0});
  const auto lines = texts(layout_screen(&rates, history, {}, {}, 24, 80));
  EXPECT_NE(lines.at(1).find("  0 "), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("  2 "), std::string::npos) << lines[1];
  bool all = false;
  for (const std::string& line : lines) all |= line.find(" 39 ") != line.npos;
  EXPECT_TRUE(all);
}

class Keys : public testing::Test {
 protected:
  Keys() : shown_(3) {
    for (uint32_t i = 0; i < 3; ++i) shown_[i].use = process(11 + i, 0, 0);
  }
  Input::Action press(int key) { return input_.press(key, shown_); }

  ViewState state_;
  std::string command_ = "program";
  std::vector<ProcessRates> shown_;
  Input input_{state_, [this](uint32_t) { return command_; }};
};

TEST_F(Keys, MoveTheSelectionWithinTheList) {
  press(kDown);
  EXPECT_EQ(state_.selected_pid, 12u);
  press(kEnd);
  press(kDown);
  EXPECT_EQ(state_.selected_pid, 13u);
  press(kPageUp);
  EXPECT_EQ(state_.selected_pid, 11u);
  input_.press(kDown, {});
  EXPECT_EQ(state_.selected_pid, 11u);
}

TEST_F(Keys, SortByLettersAndArrows) {
  press('M');
  EXPECT_EQ(state_.sort, SortKey::kHeap);
  press('<');
  EXPECT_EQ(state_.sort, SortKey::kWorkGroups);
  press('P');
  press('<');
  EXPECT_EQ(state_.sort, kLastSortKey);
  press('>');
  EXPECT_EQ(state_.sort, SortKey::kBusy);
}

TEST_F(Keys, EditTheFilter) {
  press('/');
  for (const char c : std::string("q\xc3\xbc")) press(static_cast<unsigned char>(c));
  EXPECT_EQ(state_.filter, "q\xc3\xbc") << "a key of the filter ends nothing";
  press(kBackspace);
  EXPECT_EQ(state_.filter, "q");
  press(kEnter);
  EXPECT_EQ(press('q').kind, Input::Action::kQuit);
  press('/');
  press(kEscape);
  EXPECT_EQ(state_.filter, "");
}

TEST_F(Keys, AskBeforeTheySignal) {
  EXPECT_EQ(press('k').kind, Input::Action::kNone);
  EXPECT_EQ(state_.kill_pid, 11u);
  EXPECT_EQ(press('x').kind, Input::Action::kNone);
  press(kF9);
  const Input::Action action = press('9');
  EXPECT_EQ(action.kind, Input::Action::kSignal);
  EXPECT_EQ(action.pid, 11u);
  EXPECT_EQ(action.signal, SIGKILL);
  command_ = "";
  press('k');
  EXPECT_EQ(state_.mode, ViewState::Mode::kNormal);
  EXPECT_NE(state_.message.find("has ended"), std::string::npos);
}

}  // namespace
}  // namespace conclave::monitor
