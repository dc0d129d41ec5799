// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/text_file.h"

namespace conclave {
namespace {

// Calls visit(position) for each character that is not part of a string.
template <class Visit>
void outside_strings(const std::string& text, Visit visit) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string)
      visit(i);
  }
}

// Turns commas before a closing bracket into blanks, so positions stay the same.
void remove_trailing_commas(std::string& text) {
  std::vector<size_t> commas;
  outside_strings(text, [&](size_t i) {
    const size_t next = text.find_first_not_of(" \t\r\n", i + 1);
    if (text[i] == ',' && next != text.npos && (text[next] == '}' || text[next] == ']'))
      commas.push_back(i);
  });
  for (size_t comma : commas) text[comma] = ' ';
}

size_t line_of(const std::string& text, size_t position) {
  return 1 + static_cast<size_t>(
                 std::count(text.begin(), text.begin() + static_cast<long>(position), '\n'));
}

// The line of the key; 0 if the key is written with escapes and not found.
size_t line_of_key(const std::string& text, const std::string& key) {
  const std::string quoted = "\"" + key + "\"";
  for (size_t at = text.find(quoted); at != text.npos; at = text.find(quoted, at + 1)) {
    const size_t next = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != text.npos && text[next] == ':') return line_of(text, at);
  }
  return 0;
}

}  // namespace

bool read_config_file(const std::string& path, std::map<std::string, Setting>& settings,
                      std::vector<std::string>& errors) {
  std::string text;
  const size_t known_errors = errors.size();
  if (!read_text_file(path, text, errors)) return false;
  if (errors.size() != known_errors) return true;
  remove_trailing_commas(text);
  nlohmann::json root;
  try {
    root = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    errors.push_back(path + " line " +
                     std::to_string(line_of(text, std::min(error.byte, text.size()))) +
                     ": is no valid JSON: " + error.what());
    return true;
  }
  if (!root.is_object()) {
    errors.push_back(path + ": is no JSON object such as {\"compute-units\": \"8\"}");
    return true;
  }
  for (const auto& [key, value] : root.items()) {
    const size_t line = line_of_key(text, key);
    const std::string source =
        path + (line ? " line " + std::to_string(line) : "") + ", key \"" + key + "\"";
    if (value.is_string())
      settings[key] = {value.get<std::string>(), source};
    else if (value.is_number_integer())
      settings[key] = {value.dump(), source};
    else
      errors.push_back(
          source + ": value " +
          value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 100) +
          " is neither a string nor an integer");
  }
  return true;
}

}  // namespace conclave
