// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/top.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "monitor/find_segment.h"
#include "monitor/top/input.h"
#include "monitor/top/rates.h"
#include "monitor/top/terminal.h"
#include "monitor/top/view.h"
#include "platform/base/clock.h"
#include "platform/base/descriptor.h"
#include "platform/base/error.h"
#include "platform/share/process_identity.h"

namespace conclave::monitor {
namespace {

// After this a view asks again where processes meet: the last one may have gone, and with it the
// segment.
constexpr uint64_t kSearchNs = 5'000'000'000;

ViewState view_of(const TopOptions& options) {
  ViewState state;
  state.filter = options.filter;
  for (int i = 0; i <= static_cast<int>(kLastSortKey); ++i)
    if (options.sort == name_of(static_cast<SortKey>(i))) state.sort = static_cast<SortKey>(i);
  return state;
}

// The samples of the segment that processes use now.
class Watcher {
 public:
  explicit Watcher(std::string name) : name_(std::move(name)) {}

  // What happened since the last call; nothing if nobody uses the device. The first call shows
  // counters without rates.
  std::optional<Rates> look() {
    if (!segment_ || now_ns() - found_ns_ > kSearchNs) search();
    if (!segment_) return std::nullopt;
    Sample sample = take_sample(*segment_);
    Rates rates = rates_between(last_.at_ns ? last_ : sample, sample);
    last_ = std::move(sample);
    return rates;
  }

 private:
  void search() {
    found_ns_ = now_ns();
    std::unique_ptr<share::Segment> found = find_segment(name_);
    if (found && segment_ && found->inode() == segment_->inode()) return;
    segment_ = std::move(found);
    last_ = {};
  }

  std::string name_;
  std::unique_ptr<share::Segment> segment_;
  uint64_t found_ns_ = 0;
  Sample last_;
};

// The descriptor holds the process, so the signal cannot hit another one with the same number.
std::string send_signal(uint32_t pid, int signal, const std::string& expected) {
  const std::string name = "process " + std::to_string(pid);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process || share::process_command(static_cast<pid_t>(pid)) != expected)
    return name + " has ended.";
  if (syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0)
    return "Cannot end " + name + ": " + strerror(errno);
  return std::string(strsignal(signal)) + ": sent to " + name + ".";
}

int show_once(const TopOptions& options) {
  const ViewState state = view_of(options);
  Watcher watcher(options.segment);
  std::optional<Rates> rates = watcher.look();
  if (rates) {
    usleep(static_cast<useconds_t>(options.delay_s * 1e6));
    rates = watcher.look();
  }
  if (options.json)
    fputs(to_text(rates ? to_json(*rates, state) : to_json(Rates(), state)).c_str(), stdout);
  else
    fputs(rates ? plain_text(*rates, state).c_str() : "Nobody uses the device.\n", stdout);
  return 0;
}

int show_live(const TopOptions& options) {
  ViewState state = view_of(options);
  Watcher watcher(options.segment);
  std::optional<Rates> rates = watcher.look();
  History history;
  Terminal terminal;
  Input input(state, [](uint32_t pid) { return share::process_command(static_cast<pid_t>(pid)); });
  const auto delay_ns = static_cast<uint64_t>(options.delay_s * 1e9);
  uint64_t looked_ns = now_ns();
  for (;;) {
    terminal.show(layout_screen(rates ? &*rates : nullptr, history, state, terminal.look(),
                                terminal.rows(), terminal.columns()));
    const uint64_t passed = now_ns() - looked_ns;
    const int wait_ms =
        passed < delay_ns ? static_cast<int>((delay_ns - passed) / 1'000'000) + 1 : 0;
    const int key = terminal.next_key(wait_ms);
    if (key == Terminal::kGone) return 0;
    bool is_due = now_ns() - looked_ns >= delay_ns;
    if (key >= 0) {
      const Input::Action action =
          input.press(key, rates ? chosen(*rates, state) : std::vector<ProcessRates>());
      if (action.kind == Input::Action::kQuit) return 0;
      if (action.kind == Input::Action::kSignal)
        state.message = send_signal(action.pid, action.signal, state.kill_command);
      is_due |= action.kind == Input::Action::kRefresh;
    }
    if (!is_due) continue;
    rates = watcher.look();
    looked_ns = now_ns();
    if (rates) history.add(*rates);
  }
}

}  // namespace

int top(const TopOptions& options) {
  try {
    return options.once || options.json ? show_once(options) : show_live(options);
  } catch (const Error& error) {
    fprintf(stderr, "conclave top: %s\n", error.what());
    return 1;
  }
}

}  // namespace conclave::monitor
