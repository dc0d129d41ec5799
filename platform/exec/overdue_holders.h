// SPDX-License-Identifier: Apache-2.0
// What becomes of a compute unit whose holder does not let go of it: the holder may have died, been
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

  // Looks at the holders of the units that this process waits for: takes units from those that died
  // or were stopped, and goes beside those that have not let go for too long. Nothing where another
  // thread is at it.
  void look() noexcept;

 private:
  // A lease as seen last.
  struct SeenLease {
    uint64_t word = 0;
    uint64_t since = 0;  // when it was first seen
  };

  void deal_with(ComputeUnit& unit, const share::Lease& lease, uint64_t word);
  void go_beside(ComputeUnit& unit, uint64_t word);

  Dispatcher& dispatcher_;
  std::mutex mutex_;
  std::vector<SeenLease> seen_;  // by unit
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_OVERDUE_HOLDERS_H_
