// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/tuning.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace conclave::compiler {
namespace {

enum class Kind : uint8_t { kSwitch, kChoice, kRatio, kLimit };
constexpr const char* kKindNames[] = {"switch", "choice", "ratio", "limit"};

struct Entry {
  Kind kind;
  const char* name;
  double value, least, most, off;
  const char* unit;
  const char* reason;
  void (*set)(Tuning&, double);
};

#define SETTER(name) \
  [](Tuning& tuning, double value) { tuning.name = static_cast<decltype(Tuning::name)>(value); }
#define SWITCH(name, reason) {Kind::kSwitch, #name, 1, 0, 1, 0, "on, off", reason, SETTER(name)},
#define CHOICE(name, value, least, most, off, unit, reason) \
  {Kind::kChoice, #name, value, least, most, off, unit, reason, SETTER(name)},
#define RATIO(name, value, least, most, off, unit, reason) \
  {Kind::kRatio, #name, value, least, most, off, unit, reason, SETTER(name)},
#define LIMIT(name, value, least, most, unit, reason) \
  {Kind::kLimit, #name, value, least, most, most, unit, reason, SETTER(name)},
constexpr Entry kEntries[] = {
#include "compiler/base/tuning.def"
};
#undef SETTER
#undef SWITCH
#undef CHOICE
#undef RATIO
#undef LIMIT

std::string text_of(const Entry& entry, double value) {
  if (entry.kind == Kind::kSwitch) return value != 0 ? "on" : "off";
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

[[noreturn]] void refuse(std::string_view setting, const std::string& why) {
  throw TuningError("'" + std::string(setting) + "': " + why);
}

const Entry& find_entry(std::string_view name, std::string_view setting) {
  for (const Entry& entry : kEntries)
    if (name == entry.name) return entry;
  refuse(setting, "there is nothing of that name to tune (clocl --tune=list)");
}

double parse_value(const Entry& entry, std::string_view text, std::string_view setting) {
  if (entry.kind == Kind::kSwitch) {
    if (text != "on" && text != "off") refuse(setting, "expected on or off");
    return text == "on";
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  const bool is_number = error == std::errc() && end == text.end();
  if (!is_number || !(value >= entry.least && value <= entry.most) ||
      (entry.kind != Kind::kRatio && value != std::trunc(value)))
    refuse(setting, std::string("expected ") +
                        (entry.kind == Kind::kRatio ? "a number" : "an integer") + " from " +
                        text_of(entry, entry.least) + " to " + text_of(entry, entry.most));
  return value;
}

Tuning current;

}  // namespace

void Tuning::apply(std::string_view text) {
  Tuning changed = *this;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view setting = text.substr(at, end - at);
    const size_t equals = setting.find('=');
    if (equals == std::string_view::npos) refuse(setting, "expected NAME=VALUE");
    const Entry& entry = find_entry(setting.substr(0, equals), setting);
    entry.set(changed, parse_value(entry, setting.substr(equals + 1), setting));
    at = end + 1;
  }
  *this = changed;
}

const Tuning& tuning() {
  return current;
}

void set_tuning(const Tuning& tuning) {
  current = tuning;
}

std::string tuning_table() {
  std::string table;
  for (const Entry& entry : kEntries) {
    const std::string off = entry.kind == Kind::kLimit ? "-" : text_of(entry, entry.off);
    for (const std::string& column :
         {std::string(kKindNames[static_cast<int>(entry.kind)]), std::string(entry.name),
          text_of(entry, entry.value), text_of(entry, entry.least), text_of(entry, entry.most), off,
          std::string(entry.unit)})
      table += column + "\t";
    table += entry.reason;
    table += "\n";
  }
  return table;
}

}  // namespace conclave::compiler
