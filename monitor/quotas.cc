// SPDX-License-Identifier: Apache-2.0
#include "monitor/quotas.h"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace conclave::monitor {
namespace {

constexpr char kControlGroup[] = "cgroup:";
constexpr double kLeastWeight = 1.0 / 16, kMostWeight = 16;

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class Number>
std::optional<Number> number_in(const std::string& text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least) ||
      number > most)
    return std::nullopt;
  return number;
}

bool set(Quota& quota, const std::string& key, const std::string& value) {
  if (key == "weight") {
    const auto weight = number_in<double>(value, kLeastWeight, kMostWeight);
    quota.weight = weight.value_or(1);
    return weight.has_value();
  }
  const auto number = number_in<uint64_t>(value, 1, uint64_t{1} << 31);
  if (!number) return false;
  if (key == "compute-units") return (quota.compute_units = static_cast<uint32_t>(*number)) != 0;
  if (key == "heap-MiB") return (quota.heap_bytes = *number << 20) != 0;
  if (key == "contexts") return (quota.contexts = static_cast<uint32_t>(*number)) != 0;
  return false;
}

// The path in the unified hierarchy; "" if it cannot be read.
std::string control_group_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "";
}

bool is_within(const std::string& path, const std::string& root) {
  return path == root || path.starts_with(root.ends_with('/') ? root : root + "/");
}

}  // namespace

Quotas::Quotas(const std::string& text) {
  std::istringstream rules(text);
  for (std::string rule; std::getline(rules, rule, ';');) {
    if (trimmed(rule).empty()) continue;
    const size_t colon = rule.rfind(':', rule.find('='));
    const std::string who = colon == std::string::npos ? "" : trimmed(rule.substr(0, colon));
    if (who.empty())
      throw std::invalid_argument("\"" + trimmed(rule) +
                                  "\": expected is USER, @GROUP, cgroup:/PATH or *, a colon, "
                                  "and what is allowed");
    Quota quota;
    std::istringstream words(rule.substr(colon + 1));
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos ||
          !set(quota, word.substr(0, equals), word.substr(equals + 1)))
        throw std::invalid_argument(
            "\"" + word +
            "\": allowed are compute-units=N, heap-MiB=N, contexts=N and weight=0.0625 to 16");
    }
    rules_.push_back({who, quota});
  }
}

Quotas::Match Quotas::match(const Peer& peer) const {
  const std::string path = control_group_of(peer.pid);
  const passwd* user = getpwuid(peer.uid);
  for (const Rule& rule : rules_) {
    if (rule.who.starts_with(kControlGroup)) {
      const std::string root = rule.who.substr(sizeof kControlGroup - 1);
      if (!path.empty() && is_within(path, root)) return {rule.quota, root};
      continue;
    }
    const group* members = rule.who[0] == '@' ? getgrnam(rule.who.c_str() + 1) : nullptr;
    const bool fits =
        rule.who == "*" || (user && rule.who == user->pw_name) ||
        rule.who == std::to_string(peer.uid) ||
        (members && std::count(peer.groups.begin(), peer.groups.end(), members->gr_gid));
    if (fits) return {rule.quota, ""};
  }
  return {};
}

}  // namespace conclave::monitor
