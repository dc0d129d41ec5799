// SPDX-License-Identifier: Apache-2.0
// Who serves a segment: the one that holds a lock on its file. The lock belongs to an open file
// description (fcntl(2), F_OFD_SETLK), so it passes to the child that the daemon becomes, ends with
// the process however that ends, and is independent of the lock (flock) under which processes open
// the segment.
#ifndef CONCLAVE_MONITOR_DAEMON_LOCK_H_
#define CONCLAVE_MONITOR_DAEMON_LOCK_H_

#include <optional>

#include "platform/base/descriptor.h"
#include "platform/share/segment.h"

namespace conclave::monitor {

class DaemonLock {
 public:
  // Takes the lock; nothing where another process has it. Throws Error{CL_DEVICE_NOT_AVAILABLE}
  // where the file cannot be opened or the name leads to another segment by now.
  static std::optional<DaemonLock> take(const share::Segment& segment);

  // The number of the living process that serves the segment; 0: none.
  static uint32_t holder(const share::Segment& segment);

  // The segment's file.
  int descriptor() const { return file_.get(); }

 private:
  explicit DaemonLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DAEMON_LOCK_H_
