// SPDX-License-Identifier: Apache-2.0
// Values as people read them.
#ifndef CONCLAVE_MONITOR_TEXTS_H_
#define CONCLAVE_MONITOR_TEXTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace conclave::monitor {

std::string number(uint64_t value);
std::string or_dash(const std::string& text);
// "0-3,8", "-" if there are none.
std::string ranges(const std::vector<uint32_t>& list);
// The user's name, or the number where there is none.
std::string user_name(uint32_t uid);
// In at most five characters: "12", "3.4k", "1.2M".
std::string short_number(double value);
// The same in powers of 1024: "12K", "3.4G".
std::string short_bytes(uint64_t bytes);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TEXTS_H_
