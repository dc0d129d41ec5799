// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/compute_unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstdlib>
#include <string>

#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/exec/engine.h"

namespace conclave {
namespace {

// A worker that has nothing to do looks this often before it sleeps: about two microseconds, less
// than a sleep and a wake-up cost.
constexpr int kSpins = 60;

// Kernels run on the worker's stack; the compiler bounds their private memory (8 MiB).
constexpr size_t kStackBytes = 16u << 20;

}  // namespace

void ComputeUnit::Block::Free::operator()(void* memory) const {
  std::free(memory);
}

void* ComputeUnit::Block::at_least(size_t bytes) {
  if (bytes <= size_) return memory_.get();
  size_t rounded = (bytes + 4095) / 4096 * 4096;
  memory_.reset();
  size_ = 0;
  memory_.reset(std::aligned_alloc(4096, rounded));
  if (!memory_)
    throw Error(CL_OUT_OF_RESOURCES, "no memory for " + std::to_string(rounded) +
                                         " bytes of a compute unit's workspace");
  size_ = rounded;
  return memory_.get();
}

const abi::Workspace& ComputeUnit::workspace(size_t local_bytes, size_t spill_bytes) {
  workspace_.local_memory = local_.at_least(local_bytes);
  workspace_.spill = spill_.at_least(spill_bytes);
  return workspace_;
}

void ComputeUnit::post(Event* event) {
  if (!started_) start_thread();
  posted_ = event;
  if (signal_.exchange(kPosted, std::memory_order_acq_rel) == kSleeping) futex_wake(signal_, 1);
}

void ComputeUnit::start_thread() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (cpu_ >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu_, &cpus);
    pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus);
  }
  // The host's signals are for the host's threads.
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto main = [](void* self) -> void* {
    auto* cu = static_cast<ComputeUnit*>(self);
    pthread_setname_np(pthread_self(), ("conclave-cu" + std::to_string(cu->index_)).c_str());
    cu->work();
    return nullptr;
  };
  pthread_t thread;
  int failed = pthread_create(&thread, &attributes, main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed)
    throw Error(CL_OUT_OF_RESOURCES, "cannot start the worker of compute unit " +
                                         std::to_string(index_) + ": error " +
                                         std::to_string(failed));
  started_ = true;
}

// Waits for the next post. Nobody polls: after a short spin the worker sleeps.
Event* ComputeUnit::next_post() {
  for (int i = 0; i < kSpins && signal_.load(std::memory_order_relaxed) == kEmpty; ++i)
    spin_pause();
  int32_t seen = kEmpty;
  signal_.compare_exchange_strong(seen, kSleeping, std::memory_order_acquire);
  while (signal_.load(std::memory_order_acquire) != kPosted) futex_wait(signal_, kSleeping);
  Event* event = posted_;
  signal_.store(kEmpty, std::memory_order_relaxed);
  return event;
}

void ComputeUnit::work() {
  for (;;) Engine::get().serve(*this, Ref<Event>::adopt(next_post()));
}

}  // namespace conclave
