// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_COMMON_READ_TEXT_H_
#define CONCLAVE_TEST_COMMON_READ_TEXT_H_

#include <fstream>
#include <sstream>
#include <string>

namespace conclave::test {

// The bytes of a file; nothing if it cannot be read, or is a file of /proc whose process has ended.
inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_READ_TEXT_H_
