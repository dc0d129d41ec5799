// SPDX-License-Identifier: Apache-2.0
// Tells the user of a build that takes long what it is at.
#ifndef CONCLAVE_COMPILER_DRIVER_PROGRESS_H_
#define CONCLAVE_COMPILER_DRIVER_PROGRESS_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace conclave::compiler {

// Says nothing for a second; then names each phase that is there for a while, on standard error. A
// thread does so, as the longest phase may be the last.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Null between phases.
  void set_phase(const char* phase) { phase_ = phase; }

 private:
  void watch();

  std::string what_;
  std::atomic<const char*> phase_{nullptr};
  bool is_over_ = false;
  std::mutex mutex_;
  std::condition_variable over_;
  std::thread thread_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_PROGRESS_H_
