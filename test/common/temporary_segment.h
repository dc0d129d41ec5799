// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_COMMON_TEMPORARY_SEGMENT_H_
#define CONCLAVE_TEST_COMMON_TEMPORARY_SEGMENT_H_

#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace conclave::test {

// A shared segment for this process's workers alone, so that other users of the device are neither
// disturbed nor measured. Its name is free again at the end of the object's life.
class TemporarySegment {
 public:
  explicit TemporarySegment(const std::string& suffix = "")
      : name_("conclave-test." + std::to_string(getpid()) + suffix) {}
  ~TemporarySegment() { shm_unlink(("/" + name_).c_str()); }
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
