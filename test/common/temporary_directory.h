// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_COMMON_TEMPORARY_DIRECTORY_H_
#define CONCLAVE_TEST_COMMON_TEMPORARY_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace conclave::test {

// A new empty directory for this user alone, removed at the end with what is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "conclave-test-XXXXXX") {
    if (!mkdtemp(path_.data())) throw std::runtime_error("no temporary directory");
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_TEMPORARY_DIRECTORY_H_
