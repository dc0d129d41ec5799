// SPDX-License-Identifier: Apache-2.0
// The terminal as `conclave top` uses it, by ncurses.
#ifndef CONCLAVE_MONITOR_TOP_TERMINAL_H_
#define CONCLAVE_MONITOR_TOP_TERMINAL_H_

#include <vector>

#include "monitor/top/view.h"

namespace conclave::monitor {

class Terminal {
 public:
  // Takes over the terminal of standard input and output. Throws Error if they are none, or one
  // that ncurses does not know.
  Terminal();
  // Gives it back as it was.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int rows() const;
  int columns() const;
  const Look& look() const { return look_; }
  void show(const std::vector<Line>& lines);

  static constexpr int kNothing = -1, kGone = -2, kResized = -3;
  // The next key (input.h), after at most so many milliseconds; kGone when there is no terminal any
  // more.
  int next_key(int milliseconds);

 private:
  void make_colors();
  int attributes_of(const Span& span) const;
  int read_key();

  Look look_;
  int processes_colors_ = 0;  // how many there are
  int empty_reads_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_TERMINAL_H_
