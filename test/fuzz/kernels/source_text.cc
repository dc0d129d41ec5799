// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/source_text.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

namespace conclave::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Counts whole words, not fields.
size_t count_uses(const std::vector<std::string>& lines, const std::string& name) {
  size_t uses = 0;
  for (const std::string& line : lines)
    for (size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
      bool begins = at == 0 || (!is_name_character(line[at - 1]) && line[at - 1] != '.');
      size_t end = at + name.size();
      if (begins && (end == line.size() || !is_name_character(line[end]))) ++uses;
    }
  return uses;
}

// The last line of what begins with `first`: its own, or the closing brace's.
size_t end_of(const std::vector<std::string>& lines, size_t first) {
  int depth = 0;
  for (size_t i = first;; ++i) {
    depth += static_cast<int>(std::count(lines[i].begin(), lines[i].end(), '{'));
    depth -= static_cast<int>(std::count(lines[i].begin(), lines[i].end(), '}'));
    if (depth == 0 || i + 1 == lines.size()) return i;
  }
}

// From the last to the first: what only an unused declaration uses is unused.
void drop_unused(std::vector<std::string>& lines) {
  static const std::regex kDeclaration(
      R"((?:(?:const|constant|local) )?(?!return\b|kernel\b)[A-Za-z]\w* (\w+)(?: =|\[|\())");
  for (size_t i = lines.size(); i-- > 0;) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kDeclaration, std::regex_constants::match_continuous))
      continue;
    if (count_uses(lines, match[1]) > 1) continue;
    auto begin = lines.begin() + static_cast<std::ptrdiff_t>(i);
    lines.erase(begin, lines.begin() + static_cast<std::ptrdiff_t>(end_of(lines, i)) + 1);
  }
}

}  // namespace

std::string tidy(const std::string& source) {
  std::vector<std::string> lines = lines_of(source);
  drop_unused(lines);
  std::string result;
  size_t depth = 0;
  for (const std::string& line : lines) {
    if (line.starts_with("}")) --depth;
    bool label = line.starts_with("case ") || line.starts_with("default:");
    result += std::string(2 * depth - (label ? 1 : 0), ' ') + line + "\n";
    if (line.ends_with("{")) ++depth;
  }
  return result;
}

}  // namespace conclave::fuzz
