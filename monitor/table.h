// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_TABLE_H_
#define CONCLAVE_MONITOR_TABLE_H_

#include <string>
#include <vector>

namespace conclave::monitor {

// Text in columns that are as wide as their widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

  // One cell per column. Control characters, which may come from other users' processes, become
  // '?'.
  void add(std::vector<std::string> cells);
  // Each line is indented by two blanks; columns of numbers are aligned to the right.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TABLE_H_
