// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/form_choices.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace conclave {
namespace {

// The first line. Another number: another format.
constexpr std::string_view kHead = "conclave form choices 2";
constexpr std::string_view kChoice = "choice", kSpent = "spent", kUnfinished = "unfinished";
// No kernel has more of one kind of lines; a text with more is none of ours.
constexpr size_t kMostLines = 256, kMostOthers = 8, kMostComparisons = 16;
// No form takes less or more time by that of another, and no trials have lost more nanoseconds.
constexpr float kLeastTime = 1e-12F, kMostTime = 1e12F;
constexpr double kMostLostNs = 1e15;

std::string lanes_text(unsigned lanes) {
  return lanes == 1 ? "1 work-item at a time" : std::to_string(lanes) + " lanes";
}

std::string number(float value) {
  char text[32];
  snprintf(text, sizeof text, "%.2f", static_cast<double>(value));
  return text;
}

bool is_count_of_lanes(unsigned lanes) {
  return lanes >= 1 && lanes <= FormChoices::kMostLanes && (lanes & (lanes - 1)) == 0;
}

bool is_time(float time) {
  return time >= kLeastTime && time <= kMostTime;
}

// The rest of the line, after a space.
std::string kind_in(std::istringstream& in) {
  std::string kind;
  in.ignore();
  std::getline(in, kind);
  return kind;
}

// "SIZE-CLASS LANES OTHERS {LANES TIME} KIND"
std::optional<FormChoices::Choice> parse_choice(std::istringstream& in) {
  FormChoices::Choice choice;
  size_t count = 0;
  if (!(in >> choice.size_class >> choice.lanes >> count) || choice.size_class == 0 ||
      !is_count_of_lanes(choice.lanes) || count > kMostOthers)
    return {};
  for (; count > 0; --count) {
    auto& [lanes, relative] = choice.others.emplace_back();
    if (!(in >> lanes >> relative) || !is_count_of_lanes(lanes) || !is_time(relative)) return {};
  }
  choice.kind = kind_in(in);
  return choice;
}

// "SPENT LOST KIND"
std::optional<FormChoices::Account> parse_account(std::istringstream& in) {
  FormChoices::Account account;
  if (!(in >> account.spent_ns >> account.lost_ns) || !(account.lost_ns >= 0) ||
      account.lost_ns > kMostLostNs)
    return {};
  account.kind = kind_in(in);
  return account;
}

// "SIZE-CLASS FORMS {LANES COMPARISONS {TIME}} KIND"
std::optional<FormChoices::Unfinished> parse_unfinished(std::istringstream& in) {
  FormChoices::Unfinished unfinished;
  size_t forms = 0;
  if (!(in >> unfinished.size_class >> forms) || unfinished.size_class == 0 || forms > kMostOthers)
    return {};
  for (; forms > 0; --forms) {
    auto& [lanes, times] = unfinished.comparisons.emplace_back();
    size_t count = 0;
    if (!(in >> lanes >> count) || !is_count_of_lanes(lanes) || count > kMostComparisons) return {};
    times.resize(count);
    for (float& time : times)
      if (!(in >> time) || !is_time(time)) return {};
  }
  unfinished.kind = kind_in(in);
  return unfinished;
}

// Whether a choice, or what is unfinished, is about the same launches as `one`.
auto of_same_launches(const auto& one) {
  return [&one](const auto& known) {
    return known.kind == one.kind && known.size_class == one.size_class;
  };
}

// Puts the item in the place of the one that `is_same`, or at the end.
template <class Item, class IsSame>
void replace(std::vector<Item>& items, const Item& item, IsSame is_same) {
  const auto known = std::find_if(items.begin(), items.end(), is_same);
  if (known != items.end())
    *known = item;
  else if (items.size() < kMostLines)
    items.push_back(item);
}

// Takes the item of a line. Returns whether it is one, and there is room for it.
template <class Item>
bool add(std::vector<Item>& items, std::optional<Item> item) {
  if (!item || items.size() == kMostLines) return false;
  items.push_back(*std::move(item));
  return true;
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
  const auto is_same = of_same_launches(choice);
  const auto known = std::find_if(choices.begin(), choices.end(), is_same);
  const bool is_new = known == choices.end() || known->lanes != choice.lanes;
  replace(choices, choice, is_same);
  std::erase_if(unfinished, is_same);
  return is_new;
}

void FormChoices::put(const Account& account) {
  replace(accounts, account, [&](const Account& known) { return known.kind == account.kind; });
}

void FormChoices::put(const Unfinished& one, unsigned chosen_lanes) {
  const auto is_same = of_same_launches(one);
  if (const auto winner = std::find_if(choices.begin(), choices.end(), is_same);
      winner != choices.end()) {
    const auto is_known = [&](const auto& comparison) {
      return std::any_of(winner->others.begin(), winner->others.end(),
                         [&](const auto& other) { return other.first == comparison.first; });
    };
    if (winner->lanes != chosen_lanes ||
        std::all_of(one.comparisons.begin(), one.comparisons.end(), is_known))
      return;
  }
  std::erase_if(unfinished, is_same);
  const auto is_of_kind = [&](const Unfinished& known) { return known.kind == one.kind; };
  if (std::count_if(unfinished.begin(), unfinished.end(), is_of_kind) >= kMostUnfinished)
    unfinished.erase(std::find_if(unfinished.begin(), unfinished.end(), is_of_kind));
  if (unfinished.size() < kMostLines) unfinished.push_back(one);
}

std::string FormChoices::text() const {
  std::ostringstream out;
  out << kHead << "\n" << kernel << "\n";
  for (const Choice& choice : choices) {
    out << kChoice << " " << choice.size_class << " " << choice.lanes << " "
        << choice.others.size();
    for (const auto& [lanes, relative] : choice.others) out << " " << lanes << " " << relative;
    out << " " << choice.kind << "\n";
  }
  for (const Account& account : accounts)
    out << kSpent << " " << account.spent_ns << " " << account.lost_ns << " " << account.kind
        << "\n";
  for (const Unfinished& one : unfinished) {
    out << kUnfinished << " " << one.size_class << " " << one.comparisons.size();
    for (const auto& [lanes, times] : one.comparisons) {
      out << " " << lanes << " " << times.size();
      for (const float time : times) out << " " << time;
    }
    out << " " << one.kind << "\n";
  }
  return out.str();
}

std::optional<FormChoices> FormChoices::parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  FormChoices result;
  std::string line;
  if (!std::getline(in, line) || line != kHead || !std::getline(in, result.kernel)) return {};
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    const bool is_read = what == kChoice       ? add(result.choices, parse_choice(words))
                         : what == kSpent      ? add(result.accounts, parse_account(words))
                         : what == kUnfinished ? add(result.unfinished, parse_unfinished(words))
                                               : false;
    if (!is_read) return {};
  }
  return result;
}

}  // namespace conclave
