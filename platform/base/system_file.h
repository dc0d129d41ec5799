// SPDX-License-Identifier: Apache-2.0
// Files in which the system tells about itself and its processes (/proc, /sys). They are read at the
// start of each program, for which a C++ stream costs several times what the system call does.
#ifndef CONCLAVE_PLATFORM_BASE_SYSTEM_FILE_H_
#define CONCLAVE_PLATFORM_BASE_SYSTEM_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace conclave {

// The whole text; "" if it cannot be read.
std::string system_text(const std::string& path);

// The text up to the first end of line; "" if it cannot be read.
std::string first_line(const std::string& path);

// The number at the front of `text`; 0 if there is none, or one that uint64_t cannot hold.
uint64_t number_in(std::string_view text);

// Takes what comes before the next `separator`, or all if there is none, off the front of `text`.
std::string_view next_part(std::string_view& text, char separator);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_SYSTEM_FILE_H_
