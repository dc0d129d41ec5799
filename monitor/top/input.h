// SPDX-License-Identifier: Apache-2.0
// Turns keys into actions of `conclave top`.
#ifndef CONCLAVE_MONITOR_TOP_INPUT_H_
#define CONCLAVE_MONITOR_TOP_INPUT_H_

#include <functional>
#include <string>
#include <vector>

#include "monitor/top/view.h"

namespace conclave::monitor {

// Keys that are not characters.
enum Key : int { kUp = 0x110000, kDown, kPageUp, kPageDown, kHome, kEnd, kF1, kF4, kF6, kF9, kF10 };
inline constexpr int kEscape = 27, kBackspace = 127, kEnter = '\n';

class Input {
 public:
  // What a key asks for beyond a change of the view.
  struct Action {
    enum Kind : uint8_t { kNone, kQuit, kRefresh, kSignal } kind = kNone;
    uint32_t pid = 0;  // with kSignal
    int signal = 0;
  };
  // Says what process this is, as the system knows it; "" if there is none.
  using Describe = std::function<std::string(uint32_t pid)>;

  Input(ViewState& state, Describe describe) : state_(state), describe_(std::move(describe)) {}

  // `shown`: the processes in their order.
  Action press(int key, const std::vector<ProcessRates>& shown);

 private:
  Action press_normal(int key, const std::vector<ProcessRates>& shown);
  Action press_in_filter(int key);
  Action press_in_kill(int key);
  bool sort_by(int key);
  void move(const std::vector<ProcessRates>& shown, int by);
  void ask_to_kill(const std::vector<ProcessRates>& shown);

  ViewState& state_;
  Describe describe_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_INPUT_H_
