// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_COMMON_TEMPORARY_SEGMENT_H_
#define CONCLAVE_TEST_COMMON_TEMPORARY_SEGMENT_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace conclave::test {

// A name for this process's workers alone to meet under, so that other users of the device are
// neither disturbed nor measured. What killed workers leave behind goes with the object.
class TemporarySegment {
 public:
  explicit TemporarySegment(const std::string& suffix = "")
      : name_("conclave-test." + std::to_string(getpid()) + suffix) {}
  ~TemporarySegment() {
    const char* runtime = getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    if (runtime)
      for (const auto& entry :
           std::filesystem::directory_iterator(std::string(runtime) + "/conclave", ignored))
        if (entry.path().filename().string().starts_with(name_ + "."))
          std::filesystem::remove_all(entry, ignored);
  }
  TemporarySegment(const TemporarySegment&) = delete;
  TemporarySegment& operator=(const TemporarySegment&) = delete;

  const std::string& name() const { return name_; }
  // For the environment of those that are to use it.
  std::string setting() const { return "CONCLAVE_SEGMENT=" + name_; }

 private:
  std::string name_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_TEMPORARY_SEGMENT_H_
