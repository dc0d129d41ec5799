// SPDX-License-Identifier: Apache-2.0
// What a command does once it may run. A command is cut into parts: the work-groups of an ND-range,
// or blocks of a copy. Compute units take them in any order, several at a time.
#ifndef CONCLAVE_PLATFORM_EXEC_COMMAND_H_
#define CONCLAVE_PLATFORM_EXEC_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/model/dealing.h"

namespace conclave {

class ComputeUnit;
class Waiting;

// What a kernel may put on a host thread's stack, which may be small.
inline constexpr size_t kHostStackBytes = 32 << 10;

class Command {
 public:
  // Answer of estimate_ns() where nothing is known yet.
  static constexpr uint64_t kUnknown = UINT64_MAX;

  virtual ~Command() = default;

  // Whether it is device work (kernels), which needs a lease of the compute unit that it runs on.
  // Otherwise it is a host task (a copy, a native kernel), which any worker can do.
  virtual bool needs_lease() const { return false; }
  // Whether all parts must run at the same time, each on a compute unit of its own.
  virtual bool gang() const { return false; }
  // The only compute units of the device on which it may run; null: any.
  virtual const ComputeUnitSet* compute_units() const { return nullptr; }
  // Whether the command has threads of its own that use all compute units of its device at once:
  // run_team() is called once, with all of them held.
  virtual bool team() const { return false; }
  // The name that examining programs show.
  virtual const char* name() const { return ""; }

  // How many parts there are.
  virtual uint64_t parts() const { return 1; }
  // How the parts are dealt out to several compute units this time. From the front is right for
  // all: a part may wait for one before it.
  virtual Dealing::Turn deal() { return {Dealing::kFront, false}; }
  // What it took from begin to end, in nanoseconds for each part; called if deal() wants it measured.
  virtual void dealt(Dealing::Way, float /*ns*/) {}
  // How many of them should run together.
  virtual uint64_t parts_at_least() const { return 1; }

  // Expected time for all parts on one compute unit, in nanoseconds. Decides whether waking other
  // threads pays.
  virtual uint64_t estimate_ns() const = 0;

  // The stack that run() needs beyond an ordinary call, in bytes. Only workers run what needs more
  // than kHostStackBytes.
  virtual size_t stack_bytes() const { return 0; }

  // Runs the parts [first, first + count) on `cu`. Called from several threads at once with
  // disjoint ranges. Throws Error to end the command with that status.
  virtual void run(ComputeUnit& cu, uint64_t first, uint64_t count) = 0;

  // After run(): what a command of a single part waits for before it can go on, and run() is called
  // again; null if it has ended.
  virtual Waiting* waiting() { return nullptr; }

  // The context of the command is terminated: makes run() end soon, where it may last long. Called
  // from any thread while the command is there. False if the engine need only run no further parts.
  virtual bool cancel() { return false; }

  // Runs all parts with the device's compute units; the first one calls the kernel.
  virtual void run_team(const std::vector<ComputeUnit*>& /*team*/) {}

  // Whether the engine should time run() now and report to measured().
  virtual bool wants_timing() const { return false; }
  virtual void measured(uint64_t /*parts*/, uint64_t /*ns*/) {}

  // Called once, after the last part and before the event is complete.
  virtual void finish() {}
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_COMMAND_H_
