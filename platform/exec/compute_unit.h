// SPDX-License-Identifier: Apache-2.0
// A compute unit: the memory that a work-group needs on it, and the worker thread that runs its
// work when no host thread does so itself. Exactly one thread of this process at a time acts for a
// compute unit: whoever took its token from the dispatcher's set of idle units.
#ifndef CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_
#define CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "conclave/kernel_abi.h"
#include "platform/base/wake_up_claim.h"
#include "platform/exec/guarded_block.h"
#include "platform/exec/unit_services.h"
#include "platform/share/share.h"
#include "platform/share/unit_placement.h"

namespace conclave {

class Event;

// By what right a thread acts for a compute unit. kNone suffices for errands; kLease: the process
// holds the unit; kGuest: another one does, beside which this one may run for a while.
enum class Right { kNone, kLease, kGuest };
struct Permit {
  Right right = Right::kNone;
  uint64_t visit_ns = 0;      // how long a guest may stay
  uint64_t overdue_word = 0;  // a guest may stay longer while the holder's lease word is still this
  bool uninvited = false;     // a guest that has waited for too long to ask, be it a gang's member
};

class ComputeUnit {
 public:
  // `arbitrated`: whether device work needs a lease.
  ComputeUnit(uint32_t index, const share::UnitPlacement& place, share::Share& share,
              bool arbitrated)
      : index_(index), place_(place), share_(share), arbitrated_(arbitrated) {}

  uint32_t index() const { return index_; }
  // That its worker is bound to; -1: none.
  int cpu() const { return place_.cpu; }
  // Its number among all processes.
  uint32_t shared() const { return place_.shared; }
  // This process's, as long as it does not enter the table again.
  share::Leases& leases() const { return share_.leases(); }
  bool arbitrated() const { return arbitrated_; }

  // Time used on it that has not been accounted for yet. Guarded by the token.
  struct Account {
    uint64_t ns = 0, cost = 0;
  };
  Account& account() { return account_; }

  // Notes that the calling thread has been at device work for `ns` more. A worker that computes for
  // long gives up its claim to be run at once when it wakes, until it has slept.
  void computed(uint64_t ns);

  // Local memory and spill area of at least so many bytes, for the next run on this unit. Throws
  // Error{CL_OUT_OF_RESOURCES}.
  // `stack_end`: the caller's frame.
  const abi::Workspace& workspace(size_t local_bytes, size_t spill_bytes, const void* stack_end);
  // What the last workspace() has as addresses.
  const abi::AddressRanges& address_ranges() const;

  // How kernel code reaches what the unit does for it.
  const abi::UnitAccess& access() const { return access_; }
  // Where kernel code is to run on it without a workspace(): a thread of a team.
  void end_local_heap() { services_.forget_local_heap(); }

  // Hands work to the worker: an event (with a reference that the worker takes over), or null: look
  // at the backlog. The caller holds the unit's token, and what `permit` says, and gives both away.
  // Throws Error{CL_OUT_OF_RESOURCES} where the worker's thread cannot be started.
  void post(Event* event, const Permit& permit);

  // Starts the worker's thread where it does not run yet: other processes may hand the unit over.
  // Throws as above.
  void ensure_thread();
  bool has_thread() const { return has_thread_.load(std::memory_order_acquire); }

  // The worker is to look again what there is to do; where it sleeps.
  void wake();
  // The same where it sleeps for this process alone: from now on units are shared with others.
  void stir();

 private:
  // kResting: the worker sleeps, on this word; kSleeping: in the segment, where other processes can
  // wake it as well.
  enum Signal : int32_t { kEmpty, kPosted, kSleeping, kResting };

  void start_thread();
  void work();
  void sleep();
  void rest();
  void sleep_among_others();

  const uint32_t index_;
  const share::UnitPlacement place_;
  share::Share& share_;
  const bool arbitrated_;
  std::mutex starting_;
  std::atomic<bool> has_thread_{false};
  Account account_;
  WakeUpClaim claim_;  // the worker's
  uint64_t computed_ns_ = 0;
  uint64_t looked_ns_ = 0;  // when the worker last looked at other holders
  GuardedBlock local_;
  GuardedBlock spill_;
  abi::Workspace workspace_{};
  UnitServices services_;
  const abi::UnitAccess access_ = services_.access(index_);
  alignas(64) std::atomic<int32_t> signal_{kEmpty};
  // Written before signal_, read after.
  Event* posted_ = nullptr;
  Permit posted_permit_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_
