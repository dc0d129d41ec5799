// SPDX-License-Identifier: Apache-2.0
// What the engine notes of a command while it runs: how its work-groups, or blocks of a copy, are
// handed out, and the lists that it is on. It is a part of the command's event, so that running a
// command allocates nothing; nobody but the engine looks at it.
#ifndef CONCLAVE_PLATFORM_EXEC_WORK_RECORD_H_
#define CONCLAVE_PLATFORM_EXEC_WORK_RECORD_H_

#include <CL/cl.h>

#include <atomic>
#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "platform/exec/untaken_parts.h"
#include "platform/model/dealing.h"

namespace conclave {

class Event;

struct WorkRecord {
  using ListHook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  explicit WorkRecord(Event& of) : event(of) {}

  Event& event;
  ListHook ready_hook, waiting_hook;  // of ready_list.h and run_queue.h
  UntakenParts untaken;
  std::atomic<uint64_t> remaining{0};  // parts not yet run, and one for the start
  std::atomic<int32_t> wanted{0};      // further compute units that would help
  std::atomic<bool> started{false};
  std::atomic<bool> resumed{false};  // what the command has waited for in the middle is there
  std::atomic<cl_int> error{CL_SUCCESS};
  std::atomic<bool> reported{false};  // somebody has been told of the error
  std::atomic<bool> planned{false};   // what follows is known
  uint64_t total = 0;
  uint64_t chunk = 1;  // how many parts to take at once, as far as is known, at most and at least
  uint64_t most = 1;
  uint64_t least = 1;
  // What the command says of itself: it may be gone for those who come late.
  bool needs_lease = false;
  bool gang = false;
  bool team = false;  // a gang of which one runs the command, with threads for all
  bool timed = false;
  size_t stack_bytes = 0;
  // How its parts are dealt out.
  Dealing::Turn turn = {Dealing::kFront, false};
  uint64_t began_ns = 0;  // if it has several places
  std::atomic<uint64_t> estimate_ns{0};
  int32_t places = 0;                     // what `wanted` was at first
  std::atomic<bool> measured{false};      // whether that has been compared with the time it takes
  std::atomic<bool> looked_after{false};  // whether somebody will look for more compute units
  // What the run queue knows of it, changed under the run queue's lock.
  struct Waiting {
    std::atomic<bool> listed{false};
    uint64_t order = 0;     // of arrival there
    uint64_t ticket = 0;    // of arrival among all processes; 0: not drawn, or not needed
    uint64_t since_ns = 0;  // when it came, for the statistics
  };
  Waiting waiting;
  std::atomic<uint64_t> trace_number{0};  // among the process's commands (trace_run.h); 0: none
  // Of a gang: the compute unit that is to join next, -1 before the first; and how many have
  // joined.
  std::atomic<int32_t> gang_cu{-1};
  std::atomic<int32_t> gang_size{0};

  bool exhausted() const { return untaken.empty(); }
  // Takes one of the places; false where none is left, or nothing to do.
  bool take_wanted() {
    int32_t places = wanted.load(std::memory_order_relaxed);
    while (places > 0)
      if (wanted.compare_exchange_weak(places, places - 1, std::memory_order_acq_rel))
        return total == 0 || !exhausted();
    return false;
  }
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_WORK_RECORD_H_
