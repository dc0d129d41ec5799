// SPDX-License-Identifier: Apache-2.0
// ti-mctd, for the workers of one test.
#ifndef CONCLAVE_TEST_COMMON_DAEMON_PROCESS_H_
#define CONCLAVE_TEST_COMMON_DAEMON_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace conclave::test {

class DaemonProcess {
 public:
  // Starts the program beside this one, for those who meet under `name`, with the configuration
  // `json`; returns when it listens. Throws std::runtime_error if it does not.
  explicit DaemonProcess(const std::string& name, const std::string& json = "{}");
  // Ends it.
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool has_ended() const;
  // Resident memory in KiB.
  size_t resident_kib() const;

 private:
  std::string config_;
  pid_t pid_ = 0;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_DAEMON_PROCESS_H_
