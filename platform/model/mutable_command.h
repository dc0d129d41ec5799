// SPDX-License-Identifier: Apache-2.0
// cl_mutable_command_khr: a recorded kernel launch. It keeps the kernel as it was when it was
// recorded; each replay launches that anew, so that an update reaches the replays after it and no
// other.
#ifndef CONCLAVE_PLATFORM_MODEL_MUTABLE_COMMAND_H_
#define CONCLAVE_PLATFORM_MODEL_MUTABLE_COMMAND_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <memory>
#include <vector>

#include "platform/base/object.h"
#include "platform/exec/nd_range.h"
#include "platform/model/kernel.h"

namespace conclave {

class CommandBuffer;
class MutableCommand;

template <>
struct HandleOf<MutableCommand> {
  using Type = cl_mutable_command_khr;
};

class MutableCommand : public Object<MutableCommand> {
 public:
  static constexpr uint32_t kMagic = 0x6d636d64;  // "mcmd"

  // What an update may change.
  struct State {
    Ref<Kernel> kernel;  // nobody else's
    IndexSpace space;
    bool has_local_size = false;  // the host's, not the platform's choice

    bool uniform() const {
      for (int d = 0; d < 3; ++d)
        if (space.global[d] % space.local[d]) return false;
      return true;
    }
  };

  // `buffer` keeps the command and outlives it, and so does its queue.
  MutableCommand(CommandBuffer& buffer, CommandQueue& queue, Kernel& recorded,
                 std::shared_ptr<const KernelCode> code, State state,
                 cl_mutable_dispatch_fields_khr updatable, std::vector<cl_properties> properties)
      : buffer_(buffer),
        queue_(queue),
        recorded_(&recorded),
        code_(std::move(code)),
        state_(std::move(state)),
        updatable_(updatable),
        properties_(std::move(properties)) {}

  // A copy of `kernel` that no clSetKernelArg reaches.
  static Ref<Kernel> snapshot(const Kernel& kernel) {
    return Ref<Kernel>::adopt(new Kernel(kernel));
  }

  // The same in another buffer.
  Ref<MutableCommand> copy_for(CommandBuffer& buffer, CommandQueue& queue,
                               std::shared_ptr<const KernelCode> code,
                               const IndexSpace& space) const {
    State state{snapshot(*state_.kernel), space, state_.has_local_size};
    return Ref<MutableCommand>::adopt(new MutableCommand(
        buffer, queue, *recorded_, std::move(code), std::move(state), updatable_, properties_));
  }

  CommandBuffer& buffer() const { return buffer_; }
  CommandQueue& queue() const { return queue_; }
  Kernel& recorded_kernel() const { return *recorded_; }
  const std::vector<cl_properties>& properties() const { return properties_; }
  bool updatable(cl_mutable_dispatch_fields_khr field) const { return updatable_ & field; }
  // The buffer's thread rules hold: no update runs beside another call.
  const State& state() const { return state_; }
  void update(State state) noexcept { state_ = std::move(state); }

  bool arguments_set() const {
    return state_.kernel->first_unset() == state_.kernel->arguments().size();
  }
  std::unique_ptr<Command> launch(const CommandQueue& queue) const {
    return make_launch(queue, *state_.kernel, code_, state_.space);
  }

 private:
  CommandBuffer& buffer_;
  CommandQueue& queue_;
  Ref<Kernel> recorded_;
  std::shared_ptr<const KernelCode> code_;
  State state_;
  const cl_mutable_dispatch_fields_khr updatable_;
  const std::vector<cl_properties> properties_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_MUTABLE_COMMAND_H_
