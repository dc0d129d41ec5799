// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/form_choices.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace conclave {
namespace {

// The first line. Another number: another format.
constexpr std::string_view kHead = "conclave form choices 1";
// No kernel has more; a text with more is none of ours.
constexpr size_t kMostChoices = 256, kMostOthers = 8;
constexpr unsigned kMostLanes = 64;

std::string lanes_text(unsigned lanes) {
  return lanes == 1 ? "1 work-item at a time" : std::to_string(lanes) + " lanes";
}

std::string number(float value) {
  char text[32];
  snprintf(text, sizeof text, "%.2f", static_cast<double>(value));
  return text;
}

bool is_count_of_lanes(unsigned lanes) {
  return lanes >= 1 && lanes <= kMostLanes && (lanes & (lanes - 1)) == 0;
}

// "SIZE-CLASS LANES OTHERS {LANES TIME} KIND"
std::optional<FormChoices::Choice> parse_line(const std::string& line) {
  std::istringstream in(line);
  FormChoices::Choice choice;
  size_t count = 0;
  if (!(in >> choice.size_class >> choice.lanes >> count) || choice.size_class == 0 ||
      !is_count_of_lanes(choice.lanes) || count > kMostOthers)
    return {};
  for (; count > 0; --count) {
    auto& [lanes, relative] = choice.others.emplace_back();
    if (!(in >> lanes >> relative) || !is_count_of_lanes(lanes) || !(relative > 0)) return {};
  }
  in.ignore();
  std::getline(in, choice.kind);
  return choice;
}

}  // namespace

std::string FormChoices::Choice::text() const {
  std::string text = lanes_text(lanes), separator = "; ";
  for (const auto& [other, relative] : others) {
    text += separator + lanes_text(other) + (separator == "; " ? " take " : " ") +
            number(relative) + " times" + (separator == "; " ? " as long" : "");
    separator = ", ";
  }
  const auto power = [&](unsigned shift) {
    return "2^" + std::to_string(2 * std::max(size_class >> shift & 0xff, 1u) - 2);
  };
  return text + " (" + power(16) + " work-items, " + power(8) + " bytes" +
         (size_class & 1 ? ", rows of 256 n" : "") + ")";
}

bool FormChoices::put(const Choice& choice) {
  for (Choice& known : choices) {
    if (known.kind != choice.kind || known.size_class != choice.size_class) continue;
    const bool is_new = known.lanes != choice.lanes;
    known = choice;
    return is_new;
  }
  if (choices.size() < kMostChoices) choices.push_back(choice);
  return true;
}

std::string FormChoices::text() const {
  std::ostringstream out;
  out << kHead << "\n" << kernel << "\n";
  for (const Choice& choice : choices) {
    out << choice.size_class << " " << choice.lanes << " " << choice.others.size();
    for (const auto& [lanes, relative] : choice.others) out << " " << lanes << " " << relative;
    out << " " << choice.kind << "\n";
  }
  return out.str();
}

std::optional<FormChoices> FormChoices::parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  FormChoices result;
  std::string line;
  if (!std::getline(in, line) || line != kHead || !std::getline(in, result.kernel)) return {};
  while (std::getline(in, line)) {
    std::optional<Choice> choice = parse_line(line);
    if (!choice || result.choices.size() == kMostChoices) return {};
    result.choices.push_back(std::move(*choice));
  }
  return result;
}

}  // namespace conclave
