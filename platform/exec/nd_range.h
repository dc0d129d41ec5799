// SPDX-License-Identifier: Apache-2.0
// The command that runs a kernel over an ND-range, with one part per work-group.
#ifndef CONCLAVE_PLATFORM_EXEC_ND_RANGE_H_
#define CONCLAVE_PLATFORM_EXEC_ND_RANGE_H_

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conclave/kernel_abi.h"
#include "platform/base/checked_size.h"
#include "platform/base/object.h"
#include "platform/base/pool.h"
#include "platform/check/checked_launch.h"
#include "platform/exec/command.h"
#include "platform/exec/fault_report.h"
#include "platform/exec/fiber.h"
#include "platform/exec/iterations.h"
#include "platform/exec/private_sums.h"
#include "platform/exec/streamed_call.h"
#include "platform/model/kernel.h"

namespace conclave {

class CommandQueue;

// An index space, checked against kernel and device. Unused dimensions have size 1, offset 0.
struct IndexSpace {
  cl_uint dimensions = 1;
  std::array<size_t, 3> offset{};
  std::array<size_t, 3> global{1, 1, 1};
  std::array<size_t, 3> local{1, 1, 1};

  // With at most that many work-items, counts and estimated times do not wrap around.
  static constexpr size_t kMostItems = size_t{1} << 62;

  size_t groups(cl_uint d) const {
    if (local[d] == 1) return global[d];  // most are, and a division takes long
    return global[d] == 0 ? 0 : (global[d] - 1) / local[d] + 1;
  }
  size_t all_groups() const { return groups(0) * groups(1) * groups(2); }
  // The number of work-items if all work-groups were full.
  CheckedSize items() const {
    CheckedSize items = 1;
    for (cl_uint d = 0; d < dimensions; ++d) {
      if (!global[d]) return 0;
      items = items * CheckedSize(groups(d)) * local[d];
    }
    return items;
  }
};

// Chooses the local size for a launch that leaves it to the runtime. It divides the global size,
// gives each compute unit several work-groups, and stays small enough for balance.
std::array<size_t, 3> choose_local_size(const IndexSpace& space, const KernelCode& code,
                                        size_t compute_units);

// Whether the work-groups are too few for the compute units, take long, and may have any size, since the
// kernel knows its work-items by their global ids alone. `ns_per_item`: as far as is known, else 0.
bool has_too_few_groups(const IndexSpace& space, const KernelInfo& kernel, float ns_per_item,
                        size_t compute_units);

class NdRange : public Command {
 public:
  // Takes a snapshot of the kernel's arguments. Throws Error{CL_INVALID_KERNEL_ARGS} if one of them
  // has been released, Error{CL_OUT_OF_RESOURCES} if the kernel cannot run.
  NdRange(const Kernel& kernel, std::shared_ptr<const KernelCode> code, const IndexSpace& space)
      : NdRange(kernel, std::move(code), space, nullptr, nullptr) {}
  // Calls the kernel as often as `iterations` says, with the parameters that it puts in.
  // `iterations` lives until the command has ended. `call`: streamed_call() of an earlier command
  // of the kernel that has ended; null if there was none.
  NdRange(const Kernel& kernel, std::shared_ptr<const KernelCode> code, const IndexSpace& space,
          Iterations* iterations, std::shared_ptr<StreamedCall> call);

  const std::shared_ptr<StreamedCall>& streamed_call() const { return streaming_->call; }
  // Ends the kernel after that time on a compute unit. Called before the command is enqueued.
  void limit_time(uint64_t ns);

  bool needs_lease() const override { return true; }
  bool gang() const override { return code_->info->gang; }
  const ComputeUnitSet* compute_units() const override { return bound_units_.get(); }
  bool team() const override;
  const char* name() const override { return code_->info->name.c_str(); }
  uint64_t parts() const override { return work_groups_; }
  Dealing::Turn deal() override;
  void dealt(Dealing::Way way, float ns) override;
  uint64_t parts_at_least() const override;
  uint64_t estimate_ns() const override;
  size_t stack_bytes() const override;
  void run(ComputeUnit& cu, uint64_t first, uint64_t count) override;
  Waiting* waiting() override;
  bool cancel() override;
  void run_team(const std::vector<ComputeUnit*>& team) override;
  bool wants_timing() const override { return timed_; }
  void measured(uint64_t work_groups, uint64_t ns) override;
  void finish() override;

  static void* operator new(size_t) { return Pool<NdRange>::allocate(); }
  static void operator delete(void* memory) { Pool<NdRange>::release(memory); }

 private:
  // The launch that the kernel sees, and what is behind its calls back.
  struct OwnLaunch : abi::Launch {
    std::unique_ptr<std::string> printed;           // and not written out yet; null: nothing
    std::unique_ptr<check::CheckedLaunch> checked;  // null: the code has no checks
    size_t local_bytes = 0;
  };

  struct TimeLimit {
    uint64_t ns;  // on a compute unit
    // On each; written by the thread that acts for the unit.
    std::vector<uint64_t> used_ns;
  };

  // A kernel with streams, or of a graph.
  struct Streaming {
    std::shared_ptr<StreamedCall> call;
    Iterations* iterations;  // null: it is called once
    bool has_ended = false;
  };

  // The kernel's code at work on some of the launch's work-groups.
  struct CodeCall {
    const SpecializedCode* special;  // null: the general code
    const abi::Workspace& workspace;
    const void* arguments;  // the argument block
    uint64_t first, count;  // the groups
    uint64_t end = 0;       // one past the groups for which the code was called last
    std::unique_ptr<Fiber> stack = nullptr;  // null: the thread's own is large enough
  };

  void connect(const std::vector<StreamPort>& ports, Iterations* iterations,
               std::shared_ptr<StreamedCall> call);
  void run_streamed(ComputeUnit& cu);
  // The code as the compiler chose it; null: the general code.
  const SpecializedCode* usual_code() const { return kind_use_ ? kind_use_->code() : nullptr; }
  void run_groups(ComputeUnit& cu, uint64_t first, uint64_t count, const SpecializedCode* special);
  CodeCall prepare(ComputeUnit& cu, uint64_t first, uint64_t count, const SpecializedCode* special);
  // Defined in launch_account.cc and run_in_forms.cc.
  void run_in_forms(ComputeUnit& cu, uint64_t first, uint64_t count);
  uint64_t try_form(ComputeUnit& cu, uint64_t first, uint64_t count, FormChoice& choice);
  SizeClass size_class() const;
  void add_use(uint64_t ns);
  bool call_contained(ComputeUnit& cu, CodeCall& code_call, TeamThreads* team,
                      Departure& departure);
  template <class Body>
  bool call_in_time(kernel_calls::Site& site, ComputeUnit& cu, Body&& body, Departure& departure);
  void call(CodeCall& code_call);
  [[noreturn]] void throw_error(const Departure& departure, const ComputeUnit& cu,
                                const CodeCall& code_call);
  FaultScene scene_of(const KernelFault& fault, const ComputeUnit& cu, const CodeCall& code_call);
  std::string memory_name(const Memory& memory);

  static int32_t print(const abi::Launch* launch, const char* format,
                       const abi::PrintArgument* descriptors, const void* values);
  static abi::CheckUnit* check_unit(const abi::Launch* launch);
  void add_checks(const Kernel& kernel);
  std::array<uint8_t, LaunchKind::kMostFormats> formats_of_images(const Kernel& kernel);
  void watch_kind(const Kernel& kernel, const IndexSpace& space);
  std::byte* arguments() { return large_block_ ? large_block_.get() : small_block_.data(); }
  void place_memory_arguments(const Kernel& kernel);

  std::shared_ptr<const KernelCode> code_;
  std::shared_ptr<const ComputeUnitSet> bound_units_;  // null: the kernel runs on any
  LaunchKindUse* kind_use_ = nullptr;                  // code_ owns it; null: only the general code
  bool has_smaller_groups_ = false;
  boost::container::small_vector<Ref<Memory>, 6> keep_;
  OwnLaunch launch_;
  uint64_t work_groups_ = 0;
  uint64_t items_per_group_ = 1;
  LaunchCalls calls_;
  std::unique_ptr<TimeLimit> limit_;      // null: none
  std::unique_ptr<Streaming> streaming_;  // null: none
  std::unique_ptr<PrivateSums> sums_;     // null: all work-groups add to the objects themselves
  size_t local_bytes_ = 0;
  size_t spill_bytes_ = 0;
  bool zeroes_local_memory_ = false;  // for each work-group
  bool can_be_left_ = false;          // in the middle, when the context is terminated
  uint64_t estimate_ns_ = kUnknown;   // before the launch
  bool timed_ = false;
  struct FreeAligned {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, FreeAligned> large_block_;
  alignas(abi::kBlockAlignment) std::array<std::byte, 256> small_block_;
};

// A launch in `queue`, with the time limit that queue, kernel and configuration set. Throws Error as
// NdRange does.
std::unique_ptr<NdRange> make_launch(const CommandQueue& queue, const Kernel& kernel,
                                     std::shared_ptr<const KernelCode> code,
                                     const IndexSpace& space);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ND_RANGE_H_
