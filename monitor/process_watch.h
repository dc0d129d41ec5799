// SPDX-License-Identifier: Apache-2.0
// Notices at once when processes of a user's segment end. There is one pidfd for each entry of the
// table that names a living process, and none for anything else in the table.
#ifndef CONCLAVE_MONITOR_PROCESS_WATCH_H_
#define CONCLAVE_MONITOR_PROCESS_WATCH_H_

#include <cstdint>
#include <map>
#include <vector>

#include "monitor/tenant.h"
#include "platform/base/descriptor.h"

namespace conclave::monitor {

class ProcessWatch {
 public:
  // Throws Error{CL_OUT_OF_RESOURCES}.
  ProcessWatch();

  // Becomes readable when a watched process ends.
  int descriptor() const { return epoll_.get(); }
  // Takes the compute units of processes that have ended, and rings their users' bells.
  void collect();

  // Begins to watch those who have entered the table, and removes the dead in it.
  void look_at(Tenant& tenant);
  void forget(Tenant& tenant);
  // The dead processes of a user whose heap blocks have not been freed yet.
  struct Dead {
    share::Owner owner;
    share::ProcessIdentity process;
  };
  std::vector<Dead> take_dead(Tenant& tenant);

 private:
  struct Watched {
    Tenant* tenant;
    share::Owner owner;
    pid_t pid;
    Descriptor pidfd;
  };

  bool is_watched(const Tenant& tenant, share::Owner owner, pid_t pid) const;
  void watch(Tenant& tenant, share::Owner owner, const share::ProcessIdentity& process);
  void bury(Tenant& tenant, share::Owner owner);

  Descriptor epoll_;
  std::map<uint64_t, Watched> watched_;
  std::multimap<Tenant*, Dead> dead_;
  uint64_t next_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_PROCESS_WATCH_H_
