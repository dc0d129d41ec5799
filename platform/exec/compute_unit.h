// SPDX-License-Identifier: Apache-2.0
// A compute unit: the memory that a work-group needs on it, and the worker thread that runs its
// work when no host thread does so itself. Exactly one thread at a time acts for a compute unit:
// whoever took its token from the engine's set of idle units.
#ifndef CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_
#define CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "conclave/kernel_abi.h"

namespace conclave {

class Event;

class ComputeUnit {
 public:
  // `cpu`: the CPU to pin the worker to, or -1.
  ComputeUnit(uint32_t index, int cpu) : index_(index), cpu_(cpu) {}

  uint32_t index() const { return index_; }

  // Local memory and spill area of at least so many bytes, for the next run on this unit. Throws
  // Error{CL_OUT_OF_RESOURCES}.
  const abi::Workspace& workspace(size_t local_bytes, size_t spill_bytes);

  // Hands work to the worker: an event (with a reference that the worker takes over), or null: look
  // at the backlog. The caller holds the unit's token and gives it away. Starts the thread when
  // first used; throws Error{CL_OUT_OF_RESOURCES} where that fails.
  void post(Event* event);

 private:
  enum Signal : int32_t { kEmpty, kPosted, kSleeping };

  // A block that grows and is never shared between units.
  class Block {
   public:
    void* at_least(size_t bytes);

   private:
    struct Free {
      void operator()(void* memory) const;
    };
    std::unique_ptr<void, Free> memory_;
    size_t size_ = 0;
  };

  void start_thread();
  void work();
  Event* next_post();

  const uint32_t index_;
  const int cpu_;
  bool started_ = false;  // guarded by the token
  Block local_;
  Block spill_;
  abi::Workspace workspace_{};
  alignas(64) std::atomic<int32_t> signal_{kEmpty};
  Event* posted_ = nullptr;  // written before signal_, read after
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_COMPUTE_UNIT_H_
