// SPDX-License-Identifier: Apache-2.0
#include "monitor/texts.h"

#include <pwd.h>

#include <cstdio>
#include <map>

namespace conclave::monitor {
namespace {

std::string scaled(double value, double step, const char* prefixes) {
  while (value >= 999.5 && prefixes[1]) {
    value /= step;
    ++prefixes;
  }
  const bool exact = *prefixes == ' ' || value >= 9.95;
  char text[32];
  snprintf(text, sizeof text, exact ? "%.0f" : "%.1f", value);
  return *prefixes == ' ' ? text : std::string(text) + *prefixes;
}

}  // namespace

std::string number(uint64_t value) {
  return std::to_string(value);
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string ranges(const std::vector<uint32_t>& list) {
  std::string text;
  for (size_t i = 0; i < list.size();) {
    size_t last = i;
    while (last + 1 < list.size() && list[last + 1] == list[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + number(list[i]);
    if (last > i) text += "-" + number(list[last]);
    i = last + 1;
  }
  return or_dash(text);
}

std::string user_name(uint32_t uid) {
  static std::map<uint32_t, std::string> names;  // asking may take a network
  const auto [name, fresh] = names.try_emplace(uid);
  if (fresh) {
    const passwd* user = getpwuid(uid);
    name->second = user ? user->pw_name : number(uid);
  }
  return name->second;
}

std::string short_number(double value) {
  return scaled(value, 1000, " kMGTPE");
}

std::string short_bytes(uint64_t bytes) {
  return scaled(static_cast<double>(bytes), 1024, " KMGTPE");
}

}  // namespace conclave::monitor
