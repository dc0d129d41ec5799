// SPDX-License-Identifier: Apache-2.0
// Texts of exactly so many columns of a terminal.
#ifndef CONCLAVE_MONITOR_TOP_FITTED_H_
#define CONCLAVE_MONITOR_TOP_FITTED_H_

#include <string>

namespace conclave::monitor {

// `text` cut off, or filled up with blanks on its right. Control characters, and what is not UTF-8
// or not ASCII where `utf8` is false, become '?'.
std::string fitted(const std::string& text, int columns, bool utf8);
// The same for ASCII, filled up on the left. Longer texts stay whole: a number must not lose
// digits.
std::string fitted_right(const std::string& text, int columns);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_FITTED_H_
