// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_device.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

#include "conclave/register_map.h"
#include "platform/base/error.h"
#include "platform/exec/engine.h"
#include "platform/exec/memory_commands.h"
#include "platform/exec/nd_range.h"
#include "platform/model/device.h"
#include "platform/model/event.h"
#include "platform/model/xclbin_binding.h"
#include "platform/share/kept_xclbin.h"
#include "platform/share/share.h"
#include "xrt/failure.h"
#include "xrt/xcl_graph.h"
#include "xrt/xcl_kernel.h"
#include "xrt/xcl_packet.h"

namespace conclave::xrt {
namespace {

using binary::RegisterMap;

void require_inside(const Memory& memory, size_t size, size_t offset) {
  if (offset > memory.size() || size > memory.size() - offset)
    fail(EINVAL, std::to_string(size) + " bytes from " + std::to_string(offset) +
                     " on do not lie in a buffer object of " + std::to_string(memory.size()));
}

// The state in a packet's header, which the host reads while the command runs.
void set_state(uint32_t* header, ert_cmd_state state) {
  std::atomic_ref<uint32_t> word(*header);
  word.store((word.load(std::memory_order_relaxed) & ~uint32_t{15}) | state,
             std::memory_order_release);
}

}  // namespace

// What must be reported when a command ends.
struct XclDevice::Running {
  std::shared_ptr<XclDevice> device;
  std::vector<uint32_t> units;  // that it uses: one, or none
  Ref<Memory> packet;
  Listener listener;

  static void CL_CALLBACK end(cl_event, cl_int status, void* data) {
    const std::unique_ptr<Running> self(static_cast<Running*>(data));
    self->device->ended(*self,
                        status == CL_COMPLETE ? ERT_CMD_STATE_COMPLETED : ERT_CMD_STATE_ERROR);
  }
};

// A context and a queue, which make this process a user of the device.
void XclDevice::use_device() {
  if (context_) return;
  Owned<Context> context(new Context({Ref<Device>(&Device::root())}, {}, nullptr, nullptr));
  queue_ = Owned<CommandQueue>(
      new CommandQueue(*context, Device::root(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, {}));
  context_ = std::move(context);
}

void XclDevice::use() {
  const std::lock_guard lock(mutex_);
  use_device();
}

void XclDevice::load(std::string bytes) {
  auto xclbin = Xclbin::parse(std::move(bytes));
  const std::lock_guard lock(mutex_);
  use_device();
  load_xclbin(*xclbin);
  if (xclbin_ && xclbin_->uuid() == xclbin->uuid()) return;
  xclbin_ = std::move(xclbin);
  kernels_.clear();
  program_ = {};
}

void XclDevice::open_context(const Uuid& uuid, uint32_t unit, bool shared) {
  if (uuid == Uuid{}) fail(EINVAL, "the UUID is null");
  {
    const std::lock_guard lock(mutex_);
    use_device();
  }
  using Mode = share::XclbinClient::Mode;
  client_.open(uuid, unit, shared ? Mode::kShared : Mode::kExclusive);
}

void XclDevice::close_context(const Uuid& uuid, uint32_t unit) {
  client_.close(uuid, unit);
}

uint32_t XclDevice::unit_number(const std::string& name) const {
  const auto units = share::Share::get().xclbin_slot().report().xclbin.compute_units;
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.name == name; });
  if (found == units.end())
    fail(ENOENT, "the xclbin that is loaded has no compute unit '" + name + "'");
  return static_cast<uint32_t>(found - units.begin());
}

// --- Buffer objects ---

xclBufferHandle XclDevice::add_buffer(Owned<Memory> memory, uint32_t flags) {
  do {
    ++last_buffer_;
  } while (last_buffer_ == NULLBO || buffers_.contains(last_buffer_));
  buffers_[last_buffer_] = {std::move(memory), flags};
  return last_buffer_;
}

xclBufferHandle XclDevice::allocate(size_t size, void* host, uint32_t flags) {
  const std::lock_guard lock(mutex_);
  if (size == 0) fail(EINVAL, "a buffer object of 0 bytes");
  if (!(CheckedSize(size) + reinterpret_cast<uintptr_t>(host)).fits())
    fail(EINVAL, "a buffer object that is larger than all memory behind its address");
  use_device();
  if (host)
    return add_buffer(Owned<Memory>(new Memory(*context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                               size, host, {})),
                      flags);
  if (flags & XCL_BO_FLAGS_EXECBUF) {  // small, many, and for nobody else
    Owned<Memory> memory(new Memory(*context_, CL_MEM_READ_WRITE, size, nullptr, {}));
    std::memset(memory->data(), 0, size);
    return add_buffer(std::move(memory), flags);
  }
  SharedStorage storage(size);
  if (flags & XCL_BO_FLAGS_P2P) storage.share();
  return add_buffer(Owned<Memory>(new Memory(*context_, CL_MEM_READ_WRITE, std::move(storage))),
                    flags);
}

int XclDevice::export_buffer(xclBufferHandle handle) {
  const std::lock_guard lock(mutex_);
  SharedStorage* storage = buffer(handle).memory->shared_storage();
  if (!storage)
    fail(EINVAL, "the memory of buffer object " + std::to_string(handle) +
                     " is the host's own, or a command's: it cannot be exported");
  if (!storage->is_shared()) {
    const std::lock_guard ends_lock(ends_mutex_);
    if (running_ > 0)
      fail(EBUSY, "commands run: a buffer object without XCL_BO_FLAGS_P2P is exported before");
    storage->share();
  }
  return storage->new_descriptor();
}

xclBufferHandle XclDevice::import_buffer(int descriptor, uint32_t flags) {
  const std::lock_guard lock(mutex_);
  use_device();
  return add_buffer(
      Owned<Memory>(new Memory(*context_, CL_MEM_READ_WRITE, SharedStorage::import(descriptor))),
      flags);
}

XclDevice::Buffer& XclDevice::buffer(xclBufferHandle handle) {
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) fail(ENOENT, "there is no buffer object " + std::to_string(handle));
  return found->second;
}

void XclDevice::free(xclBufferHandle handle) {
  const std::lock_guard lock(mutex_);
  buffer(handle);
  buffers_.erase(handle);
}

std::byte* XclDevice::bytes(xclBufferHandle handle, size_t size, size_t offset) {
  return memory(handle, size, offset)->data() + offset;
}

Ref<Memory> XclDevice::memory(xclBufferHandle handle, size_t size, size_t offset) {
  const std::lock_guard lock(mutex_);
  Memory& memory = *buffer(handle).memory;
  require_inside(memory, size, offset);
  return Ref<Memory>(&memory);
}

xclBOProperties XclDevice::properties(xclBufferHandle handle) {
  const std::lock_guard lock(mutex_);
  const Buffer& found = buffer(handle);
  return {handle, found.flags, found.memory->size(),
          reinterpret_cast<uint64_t>(found.memory->data()), 0};
}

// --- Graphs ---

std::shared_ptr<XclGraph> XclDevice::open_graph(const Uuid& uuid, const std::string& name,
                                                share::AccessMode mode) {
  const std::lock_guard lock(mutex_);
  use_device();
  const auto loaded = share::Share::get().xclbin_slot().loaded();
  if (!loaded || loaded->uuid != uuid)
    fail(EINVAL, "graph '" + name + "': the xclbin of this UUID is not loaded");
  const auto& graphs = xclbin_with(uuid).layout().graphs;
  const auto found = std::find_if(graphs.begin(), graphs.end(),
                                  [&](const auto& graph) { return graph.name == name; });
  if (found == graphs.end()) {
    std::string names;
    for (const auto& graph : graphs) names += (names.empty() ? "" : ", ") + graph.name;
    fail(EINVAL, "the xclbin has no graph '" + name.substr(0, 80) + "'; it has " +
                     (names.empty() ? "none" : names));
  }
  const auto number = static_cast<uint32_t>(found - graphs.begin());
  auto graph = std::make_shared<XclGraph>(shared_from_this(), xclbin_, number, mode);
  if (mode != share::AccessMode::kShared) {
    if (!program_) build();
    graph->drive(*context_, *program_);
  }
  return graph;
}

std::shared_ptr<const Xclbin> XclDevice::resident_xclbin() {
  const std::lock_guard lock(mutex_);
  const auto loaded = share::Share::get().xclbin_slot().loaded();
  if (!loaded) fail(EINVAL, "no xclbin is loaded");
  xclbin_with(loaded->uuid);
  return xclbin_;
}

void XclDevice::reset_graphs() {
  reset_idle_graphs(resident_xclbin());
}

// --- Commands ---

// The xclbin that the contexts are on.
const Xclbin& XclDevice::xclbin_of_contexts() {
  if (!client_.has_context()) fail(EINVAL, "there is no context on an xclbin");
  return xclbin_with(client_.uuid());
}

// The resident xclbin. A process that did not load it gets it from the one that did.
const Xclbin& XclDevice::xclbin_with(const Uuid& uuid) {
  if (xclbin_ && xclbin_->uuid() == uuid) return *xclbin_;
  std::string why;
  const std::string bytes = share::kept_xclbin(share::Share::get().segment().name(), why);
  auto xclbin = bytes.empty() ? nullptr : Xclbin::parse(bytes);
  if (xclbin && xclbin->uuid() != uuid) why = "this user's processes left another one";
  if (!why.empty())
    fail(EINVAL, "the file of the xclbin cannot be had (" + why +
                     "); load the xclbin in this process, too, to run its kernels");
  xclbin_ = std::move(xclbin);
  kernels_.clear();
  program_ = {};
  return *xclbin_;
}

xclConclaveKernel XclDevice::kernel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return describe_kernel(xclbin_of_contexts(), name);
}

xclConclaveArgument XclDevice::argument(const std::string& kernel, uint32_t index) {
  const std::lock_guard lock(mutex_);
  return describe_argument(xclbin_of_contexts(), kernel, index);
}

// The compute unit that was used least, of those that may be used.
uint32_t XclDevice::choose_unit(const XclPacket& packet, const Xclbin& xclbin) {
  const auto& all = xclbin.layout().compute_units;
  std::optional<uint32_t> best;
  for (uint32_t unit : packet.units()) {
    if (!client_.has(unit)) continue;
    // The context was opened by what the segment says, and others may write the segment.
    if (unit >= all.size())
      fail(EINVAL, "the xclbin has " + std::to_string(all.size()) +
                       " compute units; there is no number " + std::to_string(unit));
    if (best && all[unit].kernel != all[*best].kernel)
      fail(EINVAL, "compute units " + all[unit].full_name() + " and " + all[*best].full_name() +
                       " in one packet");
    if (!best || starts_[unit] < starts_[*best]) best = unit;
  }
  if (!best) fail(EINVAL, "All CUs in mask are out of context");
  return *best;
}

void XclDevice::build() {
  Owned<Program> program(
      new Program(*context_, {Ref<Device>(&Device::root())}, std::vector{xclbin_->program()}));
  program->build(program->devices(), "", nullptr);
  program_ = std::move(program);
}

Kernel& XclDevice::kernel_of(uint32_t unit, const Xclbin& xclbin) {
  if (!program_) build();
  Owned<Kernel>& kernel = kernels_[unit];
  if (!kernel) {
    kernel = Owned<Kernel>(new Kernel(*program_, xclbin.layout().compute_units[unit].kernel));
    kernel->bind_to(std::make_shared<const ComputeUnitSet>(device_units(xclbin, {unit})));
    kernel->connect(xclbin, xclbin.layout().compute_units[unit].name);
  }
  return *kernel;
}

void XclDevice::set_address(Kernel& kernel, cl_uint index, uint64_t address) {
  if (address == 0) return kernel.set_pointer(index, nullptr, 0);
  for (auto& [handle, buffer] : buffers_) {
    const auto begin = reinterpret_cast<uint64_t>(buffer.memory->data());
    if (address >= begin && address - begin < buffer.memory->size())
      return kernel.set_pointer(index, buffer.memory.get(), address - begin);
  }
  fail(EINVAL, "argument '" + kernel.info().arguments[index].name +
                   "': the address is in no buffer object of this handle");
}

void XclDevice::set_arguments(Kernel& kernel, const XclPacket& packet) {
  RegisterMap map;
  const auto& arguments = kernel.info().arguments;
  for (cl_uint i = 0; i < arguments.size(); ++i) {
    const ArgumentInfo& argument = arguments[i];
    switch (argument.kind) {
      case ArgumentKind::kValue: {
        std::vector<std::byte> value(RegisterMap::width(argument.size));
        packet.read(map.next(argument.size), value.data(), value.size());
        kernel.set_argument(i, argument.size, value.data());
        break;
      }
      case ArgumentKind::kLocal:
        kernel.set_argument(i, packet.word(map.next(sizeof(uint32_t))), nullptr);
        break;
      case ArgumentKind::kPointer: {
        uint64_t address;
        packet.read(map.next(sizeof address), &address, sizeof address);
        set_address(kernel, i, address);
        break;
      }
      case ArgumentKind::kStream:  // connected by the xclbin
        map.next(argument.size);
        break;
      default:
        // An image is more than an address: only OpenCL's cl_mem knows its size and format.
        fail(EINVAL, "argument '" + argument.name + "' of type " + argument.type_name +
                         " cannot be given by a register; such kernels are OpenCL's");
    }
  }
}

// A command begins only after the lock has been released: a short one may run, and report its end,
// on this thread.
void XclDevice::execute(xclBufferHandle handle, Listener listener) {
  std::unique_lock lock(mutex_);
  Memory& memory = *buffer(handle).memory;
  const XclPacket packet(memory.data(), memory.size());
  switch (packet.opcode()) {
    case ERT_START_CU:
    case ERT_START_KEY_VAL:
      start_kernel(memory, packet, listener);
      break;
    case ERT_START_COPYBO:
      start_copy(memory, packet, listener);
      break;
    case ERT_ABORT:
      require_ended(memory);
      [[fallthrough]];
    case ERT_CONFIGURE:
      use_device();
      start(CL_COMMAND_NATIVE_KERNEL, make_host_call([] {}, {}),
            std::unique_ptr<Running>(
                new Running{shared_from_this(), {}, Ref<Memory>(&memory), listener}));
      break;
    default:
      fail(EINVAL, "packets with opcode " + std::to_string(packet.opcode()) + " are not supported");
  }
  const Ref<CommandQueue> queue(queue_.get());
  lock.unlock();
  queue->flush();
}

void XclDevice::start(cl_command_type type, std::unique_ptr<Command> command,
                      std::unique_ptr<Running> running) {
  auto* header = reinterpret_cast<uint32_t*>(running->packet->data());
  client_.begin_use(running->units);
  for (uint32_t unit : running->units) ++starts_[unit];
  {
    const std::lock_guard ends_lock(ends_mutex_);
    ++running_;
  }
  set_state(header, ERT_CMD_STATE_QUEUED);
  const Ref<Event> event = queue_->enqueue(type, std::move(command), {});
  event->add_callback(CL_COMPLETE, &Running::end, running.release());
  event->release_handle();
}

void XclDevice::start_kernel(Memory& memory, const XclPacket& packet, Listener listener) {
  const Xclbin& xclbin = xclbin_of_contexts();
  const uint32_t unit = choose_unit(packet, xclbin);
  Kernel& kernel = kernel_of(unit, xclbin);
  set_arguments(kernel, packet);
  std::array<uint32_t, 6> sizes;
  packet.read(registers_of(kernel.info()).global_size(), sizes.data(), sizeof sizes);
  const auto& code = *kernel.code_for(Device::root());
  IndexSpace space = index_space(*code->info, sizes);
  const bool local_given = sizes[3] || sizes[4] || sizes[5];
  if (kernel.units_on(Device::root()).size() == 0)
    fail(EINVAL, "the compute unit is on none of this process's units of the device");
  if (!local_given && space.items().fits()) space.local = choose_local_size(space, *code, 1);
  if (!space.items().at_most(IndexSpace::kMostItems)) fail(EINVAL, "too many work-items");
  if (!kernel.local_bytes(*code).at_most(Device::kLocalMemoryBytes))
    fail(EINVAL, "the kernel needs more local memory than the device has");
  const size_t groups = space.groups(0) * space.groups(1) * space.groups(2);
  if (code->info->gang && groups > kernel.units_on(Device::root()).size())
    fail(EINVAL, "a gang of more work-groups than the compute unit can run at once");
  start(CL_COMMAND_NDRANGE_KERNEL, std::make_unique<NdRange>(kernel, code, space),
        std::unique_ptr<Running>(
            new Running{shared_from_this(), {unit}, Ref<Memory>(&memory), listener}));
}

void XclDevice::start_copy(Memory& memory, const XclPacket& packet, Listener listener) {
  if (!client_.has_context()) fail(EINVAL, "there is no context on an xclbin");
  ert_start_copybo_cmd command{};
  static_assert(offsetof(ert_start_copybo_cmd, size_hi) == 16 * sizeof(uint32_t));
  if (packet.words().size() != 16)
    fail(EINVAL, "a packet that copies has 16 words, not " + std::to_string(packet.words().size()));
  std::memcpy(reinterpret_cast<std::byte*>(&command) + sizeof(uint32_t), packet.words().data(),
              packet.words().size() * sizeof(uint32_t));
  const auto wide = [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; };
  const uint64_t size = wide(command.size, command.size_hi);
  const auto part = [&](xclBufferHandle handle, uint64_t offset) {
    Memory& whole = *buffer(handle).memory;
    require_inside(whole, size, offset);
    return whole.data() + offset;
  };
  const std::byte* from = part(command.src_bo_hdl, wide(command.src_addr_lo, command.src_addr_hi));
  std::byte* to = part(command.dst_bo_hdl, wide(command.dst_addr_lo, command.dst_addr_hi));
  if (from < to + size && to < from + size)
    fail(EINVAL, "what is copied overlaps the place where it is copied to");
  use_device();
  start(CL_COMMAND_COPY_BUFFER,
        make_copy(from, to, size,
                  {Ref<Memory>(buffer(command.src_bo_hdl).memory.get()),
                   Ref<Memory>(buffer(command.dst_bo_hdl).memory.get())}),
        std::unique_ptr<Running>(
            new Running{shared_from_this(), {}, Ref<Memory>(&memory), listener}));
}

// For a packet that aborts another packet's command. (XRT counts no word for what fills up the
// header, so `count` does not tell how far it reaches.)
void XclDevice::require_ended(const Memory& packet) {
  ert_abort_cmd abort;
  if (packet.size() < sizeof abort) fail(EINVAL, "a packet that aborts, cut short");
  std::memcpy(&abort, packet.data(), sizeof abort);
  const auto handle = static_cast<xclBufferHandle>(abort.exec_bo_handle);
  const Memory& other = *buffer(handle).memory;
  ert_packet command;
  if (other.size() < sizeof command) fail(EINVAL, "a packet that is cut short");
  std::memcpy(&command, other.data(), sizeof command);
  if (command.state == ERT_CMD_STATE_QUEUED)
    fail(EBUSY, "the command in buffer object " + std::to_string(handle) +
                    " runs, and kernels run to their end (watchdog-ms bounds their time)");
}

// The last state is set here, except for the wait: a thread that sees it may close the context.
void XclDevice::ended(const Running& command, ert_cmd_state state) {
  client_.end_use(command.units);
  set_state(reinterpret_cast<uint32_t*>(command.packet->data()), state);
  {
    const std::lock_guard lock(ends_mutex_);
    ++ends_;
    --running_;
    end_.notify_all();
  }
  // Done after the command counts as ended: the listener may be the last one that has the handle.
  if (command.listener.ended) command.listener.ended(state, command.listener.data);
}

bool XclDevice::wait(int timeout_ms) {
  std::unique_lock lock(ends_mutex_);
  const auto some = [&] { return ends_ > 0; };
  if (timeout_ms < 0)
    end_.wait(lock, some);
  else if (!end_.wait_for(lock, std::chrono::milliseconds(timeout_ms), some))
    return false;
  --ends_;
  return true;
}

void XclDevice::close() {
  if (!Engine::lost_in_fork()) {
    std::unique_lock lock(ends_mutex_);
    end_.wait(lock, [&] { return running_ == 0; });
  }
  client_.close_all();
}

}  // namespace conclave::xrt
