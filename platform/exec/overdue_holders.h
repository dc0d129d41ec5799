// SPDX-License-Identifier: Apache-2.0
// What happens to a compute unit whose holder does not let go of it. The holder may have died, been
// stopped, or be in a work-group that takes very long.
#ifndef CONCLAVE_PLATFORM_EXEC_OVERDUE_HOLDERS_H_
#define CONCLAVE_PLATFORM_EXEC_OVERDUE_HOLDERS_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "platform/exec/dispatcher.h"

namespace conclave {

class OverdueHolders {
 public:
  explicit OverdueHolders(Dispatcher& dispatcher);

  // Looks at the holders of the compute units for which this process waits. Takes compute units
  // from holders that died, were stopped or show no sign of life, and runs beside those that have
  // not let go for too long. Repairs what keeps this process waiting although nobody has the
  // compute unit, or it has it itself. Does nothing if another thread is looking.
  void look() noexcept;

 private:
  // A lease as it was last seen.
  struct SeenLease {
    uint64_t word = 0;
    uint64_t since = 0;  // when it was first seen
  };

  void look_at(ComputeUnit& unit, const share::Lease& lease, uint64_t word, uint64_t still_ns);
  void take_back(ComputeUnit& unit, const share::Lease& lease, uint64_t word);
  void deal_with(ComputeUnit& unit, const share::Lease& lease, uint64_t word, uint64_t still_ns);
  void go_beside(ComputeUnit& unit, uint64_t word);
  bool is_starved(uint64_t now);

  Dispatcher& dispatcher_;
  std::mutex mutex_;
  std::vector<SeenLease> seen_;  // by unit
  uint64_t defiant_until_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_OVERDUE_HOLDERS_H_
