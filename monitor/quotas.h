// SPDX-License-Identifier: Apache-2.0
// How much of the device users may have. The configuration's key `quotas` holds rules:
//
//   alice: compute-units=2 heap-MiB=512; @students: weight=0.5; cgroup:/batch: compute-units=1
//
// A rule is for a user, for the members of a group, for processes in a control group or below it,
// or (*) for everybody. The first rule that fits counts. Processes that a rule for a control group
// fits share a segment apart from the user's others.
#ifndef CONCLAVE_MONITOR_QUOTAS_H_
#define CONCLAVE_MONITOR_QUOTAS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/daemon_socket.h"

namespace conclave::monitor {

struct Quota {
  uint32_t compute_units = 0;  // at the same time; 0: all
  uint64_t heap_bytes = 0;     // of each heap; 0: as much as the heap has
  uint32_t contexts = 0;       // of all processes together; 0: any number
  double weight = 1;           // share of time beside others, 0.0625 to 16
};

class Quotas {
 public:
  // Throws std::invalid_argument that says which rule is wrong, and what is allowed.
  explicit Quotas(const std::string& text = "");

  // What the peer may have, and the control group of its rule ("": none).
  struct Match {
    Quota quota;
    std::string control_group;
  };
  Match match(const Peer& peer) const;

 private:
  struct Rule {
    std::string who;
    Quota quota;
  };
  std::vector<Rule> rules_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_QUOTAS_H_
