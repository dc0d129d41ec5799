// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <curses.h>

#include "monitor/colors.h"
#include "monitor/top/input.h"
#include "platform/base/error.h"

namespace conclave::monitor {
namespace {

constexpr short kFirstPair = 1;
// How long ncurses waits after an escape for the rest of a key's sequence.
constexpr int kEscapeDelayMs = 25;
// A terminal that is readable and has nothing to read is gone.
constexpr int kMostEmptyReads = 3;

// For terminals with eight colours: those that people who do not tell red from green can tell apart.
constexpr short kBasicColors[] = {COLOR_YELLOW, COLOR_CYAN, COLOR_BLUE, COLOR_MAGENTA, COLOR_WHITE};

bool speaks_utf8() {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

}  // namespace

Terminal::Terminal() {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    throw Error(CL_INVALID_VALUE,
                "standard input and output are no terminal; --once and --json need none");
  setlocale(LC_CTYPE, "");
  look_.utf8 = speaks_utf8();
  const char* type = getenv("TERM");
  if (!newterm(nullptr, stdout, stdin))
    throw Error(CL_INVALID_VALUE, "the terminal \"" + std::string(type ? type : "") +
                                      "\" (TERM) is unknown; --once and --json need none");
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  set_escdelay(kEscapeDelayMs);
  curs_set(0);
  if (has_colors() && wants_colors(STDOUT_FILENO)) make_colors();
}

Terminal::~Terminal() {
  endwin();
}

void Terminal::make_colors() {
  start_color();
  use_default_colors();
  const auto add = [&](short color) {
    init_pair(static_cast<short>(kFirstPair + processes_colors_++), color, -1);
  };
  if (COLORS >= 256)
    for (const ProcessColor& color : kProcessColors) add(color.terminal);
  else
    for (const short color : kBasicColors) add(color);
  look_.colors = true;
}

int Terminal::rows() const {
  return LINES;
}
int Terminal::columns() const {
  return COLS;
}

int Terminal::attributes_of(const Span& span) const {
  int attributes = A_NORMAL;
  if (span.style == Span::kBold) attributes = A_BOLD;
  if (span.style == Span::kDim) attributes = A_DIM;
  if (span.style == Span::kTitle || span.style == Span::kSelected) attributes = A_REVERSE;
  if (span.process != Span::kNoProcess && processes_colors_ > 0)
    attributes |= COLOR_PAIR(kFirstPair + static_cast<int>(span.process) % processes_colors_);
  return attributes;
}

void Terminal::show(const std::vector<Line>& lines) {
  erase();
  for (size_t row = 0; row < lines.size(); ++row) {
    if (move(static_cast<int>(row), 0) == ERR) break;
    for (const Span& span : lines[row]) {
      attrset(attributes_of(span));
      addstr(span.text.c_str());
    }
  }
  attrset(A_NORMAL);
  refresh();
}

int Terminal::next_key(int milliseconds) {
  if (const int key = read_key(); key != kNothing) return key;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  const int ready = poll(&input, 1, milliseconds);
  if (ready < 0) return errno == EINTR ? read_key() : kGone;
  if (ready == 0) return kNothing;
  if (input.revents & (POLLERR | POLLNVAL)) return kGone;
  const int key = read_key();
  if (key != kNothing) {
    empty_reads_ = 0;
    return key;
  }
  if ((input.revents & POLLHUP) || ++empty_reads_ >= kMostEmptyReads) return kGone;
  return kNothing;
}

int Terminal::read_key() {
  switch (const int key = getch()) {
    case ERR:
      return kNothing;
    case KEY_RESIZE:
      return kResized;
    case KEY_UP:
      return kUp;
    case KEY_DOWN:
      return kDown;
    case KEY_PPAGE:
      return kPageUp;
    case KEY_NPAGE:
      return kPageDown;
    case KEY_HOME:
      return kHome;
    case KEY_END:
      return kEnd;
    case KEY_BACKSPACE:
    case '\b':
      return kBackspace;
    case KEY_ENTER:
    case '\r':
      return kEnter;
    case KEY_F(1):
      return kF1;
    case KEY_F(4):
      return kF4;
    case KEY_F(6):
      return kF6;
    case KEY_F(9):
      return kF9;
    case KEY_F(10):
      return kF10;
    default:
      return key > 0xff ? kNothing : key;
  }
}

}  // namespace conclave::monitor
