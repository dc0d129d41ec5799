// SPDX-License-Identifier: Apache-2.0
// A thread's right to run device work on a compute unit, given back at the end of the scope: the
// lease, or a guest's right beside its holder. Says how long the thread may stay, and accounts for
// what it uses. A thread that acts for a compute unit has its token (dispatcher.h), which keeps the
// other threads of this process away; the right keeps other processes away. Host tasks need none.
#ifndef CONCLAVE_PLATFORM_EXEC_SCOPED_LEASE_H_
#define CONCLAVE_PLATFORM_EXEC_SCOPED_LEASE_H_

#include <cstdint>
#include <utility>

#include "platform/exec/compute_unit.h"
#include "platform/share/leases.h"

namespace conclave {

// Adds launches that have ended to those of this process that examining programs see.
void show_launches(uint64_t launches, uint64_t work_groups);

class ScopedLease {
 public:
  explicit ScopedLease(ComputeUnit& cu, const Permit& permit = {}) : cu_(&cu), permit_(permit) {}
  ~ScopedLease() {
    if (right() != Right::kNone) end();
  }
  ScopedLease(ScopedLease&& other) noexcept
      : cu_(other.cu_),
        permit_(other.release()),
        slice_start_(other.slice_start_),
        slice_cpu_start_(other.slice_cpu_start_),
        looked_at_(other.looked_at_) {}
  ScopedLease(const ScopedLease&) = delete;
  ScopedLease& operator=(const ScopedLease&) = delete;

  ComputeUnit& cu() const { return *cu_; }
  Right right() const { return permit_.right; }
  const Permit& permit() const { return permit_; }
  // Whether a command may run now; `needs_lease`: it is device work.
  bool may_run(bool needs_lease) const;

  // Tries to get the lease.
  bool obtain();
  // Tries to get a guest's right, which this process can have while it is below its share.
  bool visit(share::Visitor visitor);

  // Asked between two work-groups or commands: whether another process should have the compute unit
  // now.
  bool is_over();
  // Asked between two commands under first come, first served: whether somebody waits with an older
  // ticket.
  bool is_behind(uint64_t ticket);

  // Whether this is the lease, and some process, perhaps this one, has a request for it.
  bool is_contended() const;

  // Notes that device work has taken `ns` by the clock, which cost `cost` by its priority.
  void use(uint64_t ns, uint64_t cost);

  // Counts a launch of so many work-groups, which has ended.
  void count_launch(uint64_t work_groups);

  // Hands the compute unit to the process whose turn it is. Returns false and changes nothing if
  // there is none.
  bool yield();
  // Gives the right back before the end of the scope.
  void end();
  // Gives it to somebody else, who says so with the permit.
  Permit release() { return std::exchange(permit_, {}); }

 private:
  bool is_overtaken(uint64_t now);
  void begin_slice(uint64_t now);
  void settle();
  void show_counts();
  void end_slice();

  ComputeUnit* cu_;
  Permit permit_;
  // A slice is a time during which others want the compute unit; 0 while nobody does. Within it CPU
  // time is charged, since time that the system gave to others was not used.
  uint64_t slice_start_ = 0;
  uint64_t slice_cpu_start_ = 0;
  uint64_t looked_at_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_SCOPED_LEASE_H_
