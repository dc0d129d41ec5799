// SPDX-License-Identifier: Apache-2.0
// A compute unit: the memory that a work-group needs on it, and the worker thread that runs its
// work if no host thread does so itself. Exactly one thread of this process at a time acts for a
// compute unit: the one that took its token from the dispatcher's set of idle compute units.
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

// The right by which a thread acts for a compute unit. kNone is enough for host tasks. kLease: the
// process holds the compute unit. kGuest: another process holds it, and this one may run beside it
// for a while.
enum class Right { kNone, kLease, kGuest };
struct Permit {
  Right right = Right::kNone;
  uint64_t visit_ns = 0;      // how long a guest may stay
  uint64_t overdue_word = 0;  // a guest may stay longer while the holder's lease word is still this
  bool uninvited = false;     // a guest, even a gang's member, that has waited too long to ask
};

class ComputeUnit {
 public:
  // `arbitrated`: whether device work needs a lease.
  ComputeUnit(uint32_t index, const share::UnitPlacement& place, share::Share& share,
              bool arbitrated)
      : index_(index), place_(place), share_(share), arbitrated_(arbitrated) {}

  uint32_t index() const { return index_; }
  // The CPU that its worker is bound to; -1: none.
  int cpu() const { return place_.cpu; }
  // Its number among all processes.
  uint32_t shared() const { return place_.shared; }
  // The leases of this process, until it enters the table again.
  share::Leases& leases() const { return share_.leases(); }
  bool arbitrated() const { return arbitrated_; }

  // Time used on it, and launches that have ended on it, that have not been accounted for yet.
  // Guarded by the token.
  struct Account {
    uint64_t ns = 0, cost = 0;
    uint64_t launches = 0, work_groups = 0;
  };
  Account& account() { return account_; }

  // Notes that the calling thread has done device work for `ns` more. A worker that computes for
  // long gives up its claim to run as soon as it wakes, until it has slept.
  void computed(uint64_t ns);

  // Local memory and spill area of at least this size, for the next run on this compute unit.
  // Throws Error{CL_OUT_OF_RESOURCES}. `stack_end`: the caller's frame.
  const abi::Workspace& workspace(size_t local_bytes, size_t spill_bytes, const void* stack_end);
  // The address ranges of the last workspace().
  const abi::AddressRanges& address_ranges() const;

  // How kernel code reaches the services of the compute unit.
  const abi::UnitAccess& access() const { return access_; }
  // Called when kernel code is to run on it without a workspace(), on a thread of a team.
  void end_local_heap() { services_.forget_local_heap(); }

  // Hands work to the worker: an event (with a reference that the worker takes over), or null to
  // look at the run queue. The caller has the compute unit's token, and what `permit` says, and
  // gives both away. Throws Error{CL_OUT_OF_RESOURCES} if the worker's thread cannot be started.
  void post(Event* event, const Permit& permit);

  // Starts the worker's thread and gets the memory that most kernels need, so that the first kernel
  // need not: the process's address space is one object for all its CPUs. The caller has the token.
  // Throws Error{CL_OUT_OF_RESOURCES}.
  void prepare();

  // Starts the worker's thread if it does not run yet, so that other processes may hand the compute
  // unit over. Throws as above.
  void ensure_thread();
  bool has_thread() const { return has_thread_.load(std::memory_order_acquire); }

  // Makes a sleeping worker look again for something to do.
  void wake();
  // The same for a worker that sleeps for this process alone: from now on the unit is shared with
  // others.
  void stir();

 private:
  // kResting: the worker sleeps on this word. kSleeping: it sleeps in the segment, where other
  // processes can wake it too.
  enum Signal : int32_t { kEmpty, kPosted, kSleeping, kResting };

  void start_thread();
  void work();
  bool stay_awake();
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
  uint64_t idle_since_ns_ = 0;
  uint64_t calm_until_ns_ = 0;  // until then the worker sleeps at once
  uint64_t calm_ns_ = 0;  // how long it was to do so the last time; 0: others let it stay awake
  GuardedBlock local_;
  GuardedBlock spill_;
  abi::Workspace workspace_{};
  UnitServices services_;
  const abi::UnitAccess access_ = services_.access(index_);
  alignas(64) std::atomic<int32_t> signal_{kEmpty};
  // Written before signal_ and read after it.
  Event* posted_ = nullptr;
  Permit posted_permit_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_
