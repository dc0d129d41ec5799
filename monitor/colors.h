// SPDX-License-Identifier: Apache-2.0
// Colours of processes that people with any colour vision can tell apart: the palette of M. Okabe
// and K. Ito (https://jfly.uni-koeln.de/color/).
#ifndef CONCLAVE_MONITOR_COLORS_H_
#define CONCLAVE_MONITOR_COLORS_H_

#include <stdlib.h>
#include <unistd.h>

#include <array>

namespace conclave::monitor {

struct ProcessColor {
  short terminal;   // of a terminal with 256 colours
  const char* hex;  // for pictures
};

inline constexpr std::array<ProcessColor, 7> kProcessColors = {{{214, "#e69f00"},
                                                                {74, "#56b4e9"},
                                                                {36, "#009e73"},
                                                                {227, "#f0e442"},
                                                                {32, "#0072b2"},
                                                                {166, "#d55e00"},
                                                                {175, "#cc79a7"}}};

// Whether to write colours there: to terminals only, and not if the user wants none
// (https://no-color.org).
inline bool wants_colors(int descriptor) {
  const char* unwanted = getenv("NO_COLOR");
  return !(unwanted && *unwanted) && isatty(descriptor);
}

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_COLORS_H_
