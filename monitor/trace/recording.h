// SPDX-License-Identifier: Apache-2.0
// What processes have told a trace, and the socket by which they do (platform/share/trace.h).
// Nothing of it is trusted: a process may write anything into its ring at any moment.
#ifndef CONCLAVE_MONITOR_TRACE_RECORDING_H_
#define CONCLAVE_MONITOR_TRACE_RECORDING_H_

#include <memory>
#include <string>
#include <vector>

#include "platform/base/descriptor.h"
#include "platform/share/trace_ring.h"

namespace conclave::monitor {

struct TracedProcess {
  uint32_t pid = 0;  // as the kernel says
  std::string name, command;
  std::vector<share::TraceRecord> records;
  uint64_t lost = 0;  // records that were overwritten before they were read
};

class Recording {
 public:
  // More records, of all processes, are lost.
  static constexpr size_t kMostRecords = 4'000'000;
  static constexpr size_t kMostProcesses = 1024;

  // Listens at `path`. Throws Error if that is impossible.
  explicit Recording(const std::string& path);
  // Removes the socket and gives the rings' memory back.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::string& path() const { return path_; }
  // Whether somebody listens at `path`.
  static bool is_listening(const std::string& path);

  // Takes newcomers in and reads what has been written; waits for newcomers for at most
  // `milliseconds`.
  void collect(int milliseconds);
  // Tells processes that nobody reads any more. A record that is still being written, by a thread
  // that was stopped or killed perhaps, is lost, and keeps no later one back.
  void stop();

  // Those with records.
  std::vector<TracedProcess> take();

 private:
  struct Ring;

  void accept();
  void read(Ring& ring, bool is_last);

  std::string path_;
  Descriptor socket_;
  std::vector<std::unique_ptr<Ring>> rings_;
  size_t records_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TRACE_RECORDING_H_
