// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config_file.h"

#include "platform/base/json_tree.h"
#include "platform/base/text_file.h"

namespace conclave {
namespace {

// Throws JsonError if `text` is no configuration.
void read_settings(const std::string& path, const std::string& text,
                   std::map<std::string, Setting>& settings, std::vector<std::string>& errors) {
  const JsonValue root = parse_json(text, TrailingCommas::kAllowed);
  if (root.kind != JsonValue::Kind::kObject)
    root.bad("is no JSON object such as {\"compute-units\": \"8\"}");
  for (const auto& [key, place, value] : root.members) {
    const std::string source =
        path + " line " + std::to_string(place.line) + ", key \"" + key + "\"";
    const std::string written = text.substr(value.begin, value.end - value.begin);
    if (value.kind == JsonValue::Kind::kText)
      settings[key] = {value.text, source};
    else if (value.is_integer)
      settings[key] = {written, source};
    else
      errors.push_back(source + ": value " + written.substr(0, 100) +
                       " is neither a string nor an integer");
  }
}

}  // namespace

bool read_config_file(const std::string& path, std::map<std::string, Setting>& settings,
                      std::vector<std::string>& errors) {
  std::string text;
  const size_t known_errors = errors.size();
  if (!read_text_file(path, text, errors)) return false;
  if (errors.size() != known_errors) return true;
  try {
    read_settings(path, text, settings, errors);
  } catch (const JsonError& error) {
    errors.push_back(path + " line " + std::to_string(error.place().line) + ": " + error.what() +
                     " (column " + std::to_string(error.place().column) + ")");
  }
  return true;
}

}  // namespace conclave
