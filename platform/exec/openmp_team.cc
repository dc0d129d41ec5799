// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/openmp_team.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "platform/base/background_thread.h"
#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/unit_of_thread.h"
#include "platform/loader/fault_handlers.h"

namespace conclave {
namespace {

// For each compute unit the CPU that it is bound to, or -1.
using Cpus = std::vector<int>;

constexpr size_t kStackBytes = 16u << 20;

// Whether the user has said how threads wait between parallel regions.
bool may_spin() {
  return getenv("KMP_BLOCKTIME") || getenv("OMP_WAIT_POLICY");
}

// Calls `start`, by which OpenMP's library begins. The library looks for a file in /dev/shm. With
// such a file another copy of it (Intel's library, say) would have said that the process has one
// already, and this copy would end the process. It also leaves such a file, which only an orderly
// end removes. The two copies do not interfere: each has its own threads. So the host's file is
// moved away meanwhile, and ours is removed at once.
template <class Start>
void beside_others(const Start& start) {
  const std::string place =
      "/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(getpid()) + "_" + std::to_string(getuid());
  const std::string aside = place + ".host";
  const bool is_hosts = rename(place.c_str(), aside.c_str()) == 0;
  // The library would believe the file, and could wait or die because of it.
  if (!is_hosts && faccessat(AT_FDCWD, place.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    throw Error(CL_OUT_OF_RESOURCES, "OpenMP cannot be used: another user has made " + place +
                                         ", where its library leaves a note; remove it");
  start();
  unlink(place.c_str());
  if (is_hosts) rename(aside.c_str(), place.c_str());
}

// A thread that runs kernels, and the threads that OpenMP's library made for it.
class Master {
 public:
  Master() {
    start_background_thread<&Master::work>("conclave-omp", this,
                                           {.stack_bytes = kStackBytes, .runs_kernels = true});
  }

  struct Job {
    const LoadedCode& code;
    const Cpus& cpus;
    const UnitOfThread::Team& units;
    const OpenMpTeam::Work& work;
    Departure departure = {};
    std::exception_ptr error = {};
    bool is_lost = false;  // the thread has left a parallel region and is lost
  };

  void run(Job& job) {
    job_ = &job;
    set(kWorking);
    for (int32_t seen; (seen = state_.load()) != kDone;) futex_wait(state_, seen);
  }

  const Cpus& cpus() const { return cpus_; }

  // For good: threads of a region that was left are still in the code.
  void keep(const std::shared_ptr<const LoadedCode>& code) { kept_ = code; }

 private:
  enum State : int32_t { kIdle, kWorking, kDone };

  void set(State state) {
    state_.store(state);
    futex_wake(state_);
  }

  void work();
  void place(Job& job);
  static void enter(void* master, int thread);

  std::atomic<int32_t> state_{kIdle};
  Job* job_ = nullptr;
  Cpus cpus_;  // the CPUs that the threads are bound to
  UnitOfThread::Team units_;
  std::mutex joining_;
  TeamThreads threads_;
  std::shared_ptr<const LoadedCode> kept_;
};

void Master::work() {
  fault_handlers::use_alternate_stack();
  for (;;) {
    for (int32_t seen; (seen = state_.load()) != kWorking;) futex_wait(state_, seen);
    Job& job = *job_;
    try {
      place(job);
      job.departure = job.work(threads_);
    } catch (...) {
      job.error = std::current_exception();
    }
    job.is_lost = job.departure && job.code.openmp().in_parallel();
    if (job.is_lost) threads_.stop();
    const bool is_lost = job.is_lost;
    set(kDone);  // the job may be gone from here on
    if (!is_lost) continue;
    for (;;) pause();  // the data of its library would not survive its end
  }
}

// The library starts with its first call. This does not use std::call_once(), since a failed start
// is tried again, and not every implementation lets exceptions through.
template <class Call>
void start_once(Call call) {
  static std::mutex mutex;
  static bool has_started = false;
  const std::lock_guard lock(mutex);
  if (has_started) return;
  beside_others(call);
  has_started = true;
}

// Gives parallel regions as many threads as there are compute units, each on the CPU of one.
void Master::place(Job& job) {
  units_ = job.units;
  threads_.code = job.code.code_range();
  const auto set_threads = [&] {
    job.code.openmp().set_threads(static_cast<int>(job.cpus.size()), may_spin());
  };
  start_once(set_threads);
  set_threads();
  if (job.cpus == cpus_) return;
  {
    const std::lock_guard lock(joining_);
    cpus_ = job.cpus;
  }
  job.code.openmp().for_each(enter, this);
}

// Called on each thread of a team.
void Master::enter(void* self, int thread) {
  auto& master = *static_cast<Master*>(self);
  const std::lock_guard lock(master.joining_);
  if (thread != 0) {
    master.threads_.join();
    UnitOfThread::join(master.units_, static_cast<size_t>(thread));
  }
  const int cpu = master.cpus_[static_cast<size_t>(thread) % master.cpus_.size()];
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// The masters of this process that have nothing to do.
class Masters {
 public:
  // A master that was bound to the same CPUs, if there is any.
  std::unique_ptr<Master> take(const Cpus& cpus) {
    const std::lock_guard lock(mutex_);
    for (auto& master : idle_)
      if (master->cpus() == cpus) {
        std::swap(master, idle_.back());
        break;
      }
    if (idle_.empty()) return std::make_unique<Master>();
    std::unique_ptr<Master> master = std::move(idle_.back());
    idle_.pop_back();
    return master;
  }
  void give_back(std::unique_ptr<Master> master) {
    const std::lock_guard lock(mutex_);
    try {
      idle_.push_back(std::move(master));
    } catch (const std::bad_alloc&) {
      static_cast<void>(master.release());  // its thread sleeps on, and needs it
    }
  }
  static Masters& get() {
    static auto* masters = new Masters;  // its threads may outlive static objects
    return *masters;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Master>> idle_;
};

}  // namespace

Departure OpenMpTeam::run(const std::shared_ptr<const LoadedCode>& code,
                          const std::vector<ComputeUnit*>& units, const Work& work) {
  Cpus cpus;
  UnitOfThread::Team team;
  for (ComputeUnit* unit : units) {
    cpus.push_back(unit->cpu());
    team.push_back(&unit->access());
    unit->end_local_heap();
  }
  std::unique_ptr<Master> master = Masters::get().take(cpus);
  Master::Job job{.code = *code, .cpus = cpus, .units = team, .work = work};
  master->run(job);
  if (job.is_lost) {
    master->keep(code);
    static_cast<void>(master.release());  // its threads are still there
  } else {
    Masters::get().give_back(std::move(master));
  }
  if (job.error) std::rethrow_exception(job.error);
  return job.departure;
}

}  // namespace conclave
