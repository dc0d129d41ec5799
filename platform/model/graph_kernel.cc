// SPDX-License-Identifier: Apache-2.0
#include "platform/model/graph_kernel.h"

#include <algorithm>
#include <cstring>

#include "platform/base/error.h"
#include "platform/exec/nd_range.h"
#include "platform/model/device.h"
#include "platform/model/event.h"
#include "platform/model/graph.h"

namespace conclave {
namespace {

using Direction = XclbinLayout::Parameter::Direction;

}  // namespace

// The graph rings the process's bell with each change (Graph::ring).
class GraphKernel::Turn : public Waiting {
 public:
  explicit Turn(GraphKernel& kernel) : kernel_(kernel) {}
  void begin_wait() override {}
  bool is_over() override {
    const std::lock_guard lock(kernel_.graph_.mutex_);
    return kernel_.next() != Next::kWait;
  }

 private:
  GraphKernel& kernel_;
};

GraphKernel::GraphKernel(Graph& graph, const Xclbin& xclbin,
                         const XclbinLayout::GraphKernel& description,
                         const std::vector<GraphPort*>& ports, Context& context, Program& program)
    : graph_(graph), description_(description), kernel_(new Kernel(program, description.kernel)) {
  ComputeUnitSet units;
  for (uint32_t unit : description.units) units.add(unit);
  kernel_->bind_to(std::make_shared<const ComputeUnitSet>(units));
  kernel_->connect(xclbin, graph.name() + "." + description.name);
  const auto& arguments = kernel_->info().arguments;
  for (GraphPort* port : ports) {
    const auto argument = static_cast<cl_uint>(
        std::find_if(arguments.begin(), arguments.end(),
                     [&](const auto& one) { return one.name == port->parameter->argument; }) -
        arguments.begin());
    Place place{port, arguments[argument].offset, {}, {}};
    const std::vector<std::byte> zeros(port->parameter->bytes);
    if (arguments[argument].kind == ArgumentKind::kValue) {
      kernel_->set_argument(argument, zeros.size(), zeros.data());
    } else {
      place.memory =
          Owned<Memory>(new Memory(context, CL_MEM_READ_WRITE, zeros.size(), nullptr, {}));
      std::memcpy(place.memory->data(), zeros.data(), zeros.size());
      kernel_->set_pointer(argument, place.memory.get(), 0);
    }
    places_.push_back(std::move(place));
  }
}

void GraphKernel::start() {
  // The command has its own argument block, in which values are zero.
  for (Place& place : places_)
    if (!place.memory) place.seen.reset();
  const auto& code = *kernel_->code_for(Device::root());
  auto command = std::make_unique<NdRange>(*kernel_, code, IndexSpace{}, this, std::move(call_));
  call_ = command->streamed_call();
  const Ref<Event> event =
      graph_.queue_->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::move(command), {});
  event->add_callback(CL_COMPLETE, &GraphKernel::ended, this);
  event->release_handle();
}

void GraphKernel::reset() {
  done_ = 0;
  for (const Place& place : places_)
    if (place.memory) std::memset(place.memory->data(), 0, place.port->parameter->bytes);
}

void GraphKernel::cancel(StreamedCall::Cancel how) {
  if (call_) call_->cancel(how);
}

void GraphKernel::ended(cl_event, cl_int status, void* self) {
  auto* kernel = static_cast<GraphKernel*>(self);
  kernel->graph_.kernel_ended(*kernel, status);
}

// What to do now. The graph's lock is held.
GraphKernel::Next GraphKernel::next() {
  if (!graph_.failure_.empty()) return Next::kStop;
  switch (graph_.state_) {
    case Graph::State::kRunning:
      break;
    case Graph::State::kSuspended:
      return Next::kWait;
    default:
      return Next::kStop;
  }
  if (!graph_.is_endless_ && done_ >= graph_.limit_) return Next::kStop;
  const auto is_due = [](const Place& place) {
    const XclbinLayout::Parameter& parameter = *place.port->parameter;
    if (!parameter.synchronous) return true;
    const share::ParameterSlot& slot = place.port->slot;
    // A value that has not been taken yet, or one that the host has read.
    return parameter.direction == Direction::kIn ? slot.version() != slot.used()
                                                 : slot.version() == slot.used();
  };
  return std::all_of(places_.begin(), places_.end(), is_due) ? Next::kCall : Next::kWait;
}

bool GraphKernel::begin(std::byte* arguments, StreamedCall& call) {
  for (;;) {
    Next next;
    {
      const std::lock_guard lock(graph_.mutex_);
      next = this->next();
      if (next == Next::kCall) load(arguments);
    }
    if (next != Next::kWait) return next == Next::kCall;
    Turn turn(*this);
    call.wait_until(turn);
  }
}

// Loads the values that the host has written since the last call.
void GraphKernel::load(std::byte* arguments) {
  for (Place& place : places_) {
    const XclbinLayout::Parameter& parameter = *place.port->parameter;
    share::ParameterSlot& slot = place.port->slot;
    const uint64_t version = slot.version();
    if (parameter.direction == Direction::kOut || version == place.seen) continue;
    std::byte* to = place.memory ? place.memory->data() : arguments + place.offset;
    slot.read(to);
    place.seen = version;
    if (parameter.synchronous && parameter.direction == Direction::kIn) {
      slot.use(version);
      graph_.changed();
    }
  }
}

void GraphKernel::end() {
  const std::lock_guard lock(graph_.mutex_);
  for (Place& place : places_) {
    const Direction direction = place.port->parameter->direction;
    if (direction == Direction::kIn) continue;
    // A value that the host has written meanwhile is for the next call.
    if (direction == Direction::kInOut && place.port->slot.version() != place.seen) continue;
    place.port->slot.write(place.memory->data());
    place.seen = place.port->slot.version();
  }
  ++done_;
  graph_.changed();
}

}  // namespace conclave
