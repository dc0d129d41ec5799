// SPDX-License-Identifier: Apache-2.0
#include "monitor/table.h"

#include <algorithm>

namespace conclave::monitor {
namespace {

// Whether all cells below the title can be read as numbers ("-": none).
bool is_numeric(const std::vector<std::vector<std::string>>& rows, size_t column) {
  return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    return row[column] == "-" || (!row[column].empty() && row[column].find_first_not_of(
                                                              "0123456789.") == std::string::npos);
  });
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells)
    std::replace_if(
        cell.begin(), cell.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  cells.resize(rows_[0].size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const size_t columns = rows_[0].size();
  std::vector<size_t> widths(columns);
  for (const auto& row : rows_)
    for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < columns; ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += "  " + (is_numeric(rows_, i) ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace conclave::monitor
