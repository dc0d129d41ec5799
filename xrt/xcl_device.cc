// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_device.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "conclave/register_map.h"
#include "platform/base/error.h"
#include "platform/exec/engine.h"
#include "platform/exec/nd_range.h"
#include "platform/model/device.h"
#include "platform/model/event.h"
#include "platform/model/image_binding.h"
#include "platform/share/kept_image.h"
#include "platform/share/share.h"

namespace conclave::xrt {
namespace {

using image::RegisterMap;

[[noreturn]] void fail(int error_number, const std::string& text) {
  throw Error(error_number == ENOMEM ? CL_OUT_OF_RESOURCES : CL_INVALID_VALUE, text, error_number);
}

// The state in a packet's header, which the host reads while the command runs.
void set_state(uint32_t* header, ert_cmd_state state) {
  std::atomic_ref<uint32_t> word(*header);
  word.store((word.load(std::memory_order_relaxed) & ~uint32_t{15}) | state,
             std::memory_order_release);
}

}  // namespace

// A start command, read once: the host might change the bytes meanwhile.
struct XclDevice::Packet {
  std::vector<uint32_t> words;  // behind the header
  std::vector<uint32_t> units;  // in the masks
  size_t registers = 0;         // index of the first word of the register map

  Packet(const std::byte* bytes, size_t size) {
    ert_start_kernel_cmd command;
    if (size < sizeof command) fail(EINVAL, "a packet of " + std::to_string(size) + " bytes");
    std::memcpy(&command, bytes, sizeof command);
    if (command.opcode != ERT_START_CU)
      fail(EINVAL, "packets with opcode " + std::to_string(command.opcode) + " are not supported");
    if (!((CheckedSize(command.count) + 1) * sizeof(uint32_t)).at_most(size))
      fail(EINVAL, "a packet of " + std::to_string(command.count) +
                       " words in a buffer object of " + std::to_string(size) + " bytes");
    registers = size_t{command.extra_cu_masks} + 1;
    if (command.count < registers)
      fail(EINVAL, "a packet of " + std::to_string(command.count) + " words with " +
                       std::to_string(registers) + " masks");
    words.resize(command.count);
    std::memcpy(words.data(), bytes + sizeof(uint32_t), words.size() * sizeof(uint32_t));
    for (uint32_t mask = 0; mask < registers; ++mask)
      for (uint32_t bit = 0; bit < 32; ++bit)
        if (words[mask] >> bit & 1) units.push_back(mask * 32 + bit);
  }

  // The register at `offset`; those that the packet does not reach are 0.
  uint32_t word(uint32_t offset) const {
    const size_t index = registers + offset / sizeof(uint32_t);
    return index < words.size() ? words[index] : 0;
  }
  void read(uint32_t offset, void* value, size_t size) const {
    for (size_t done = 0; done < size; done += sizeof(uint32_t)) {
      const uint32_t part = word(offset + static_cast<uint32_t>(done));
      std::memcpy(static_cast<std::byte*>(value) + done, &part, std::min(sizeof part, size - done));
    }
  }
};

// What has to be told when a command ends.
struct XclDevice::Running {
  std::shared_ptr<XclDevice> device;
  uint32_t unit;
  Ref<Memory> packet;

  static void CL_CALLBACK end(cl_event, cl_int status, void* data) {
    const std::unique_ptr<Running> self(static_cast<Running*>(data));
    self->device->ended(*self,
                        status == CL_COMPLETE ? ERT_CMD_STATE_COMPLETED : ERT_CMD_STATE_ERROR);
  }
};

// A context and a queue, which make this process one that uses the device.
void XclDevice::use_device() {
  if (context_) return;
  Owned<Context> context(new Context({Ref<Device>(&Device::root())}, {}, nullptr, nullptr));
  queue_ = Owned<CommandQueue>(
      new CommandQueue(*context, Device::root(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, {}));
  context_ = std::move(context);
}

void XclDevice::load(std::string bytes) {
  auto image = DeviceImage::parse(std::move(bytes));
  const std::lock_guard lock(mutex_);
  use_device();
  load_device_image(*image);
  if (image_ && image_->uuid() == image->uuid()) return;
  image_ = std::move(image);
  kernels_.clear();
  program_ = {};
}

void XclDevice::open_context(const Uuid& uuid, uint32_t unit, bool shared) {
  if (uuid == Uuid{}) fail(EINVAL, "the UUID is null");
  {
    const std::lock_guard lock(mutex_);
    use_device();
  }
  using Mode = share::ImageClient::Mode;
  client_.open(uuid, unit, shared ? Mode::kShared : Mode::kExclusive);
}

void XclDevice::close_context(const Uuid& uuid, uint32_t unit) {
  client_.close(uuid, unit);
}

uint32_t XclDevice::unit_number(const std::string& name) const {
  const auto units = share::Share::get().image_slot().report().image.compute_units;
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.name == name; });
  if (found == units.end())
    fail(ENOENT, "the device image that is loaded has no compute unit '" + name + "'");
  return static_cast<uint32_t>(found - units.begin());
}

// --- Buffer objects ---

xclBufferHandle XclDevice::allocate(size_t size, void* host, uint32_t flags) {
  const std::lock_guard lock(mutex_);
  if (size == 0) fail(EINVAL, "a buffer object of 0 bytes");
  if (!(CheckedSize(size) + reinterpret_cast<uintptr_t>(host)).fits())
    fail(EINVAL, "a buffer object that is larger than all memory behind its address");
  use_device();
  const cl_mem_flags use = CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0);
  Owned<Memory> memory(new Memory(*context_, use, size, host, {}));
  if (!host) std::memset(memory->data(), 0, size);
  do {
    ++last_buffer_;
  } while (last_buffer_ == NULLBO || buffers_.contains(last_buffer_));
  buffers_[last_buffer_] = {std::move(memory), flags};
  return last_buffer_;
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
  const std::lock_guard lock(mutex_);
  const Memory& memory = *buffer(handle).memory;
  if (offset > memory.size() || size > memory.size() - offset)
    fail(EINVAL, std::to_string(size) + " bytes from " + std::to_string(offset) +
                     " on do not lie in a buffer object of " + std::to_string(memory.size()));
  return memory.data() + offset;
}

xclBOProperties XclDevice::properties(xclBufferHandle handle) {
  const std::lock_guard lock(mutex_);
  const Buffer& found = buffer(handle);
  return {handle, found.flags, found.memory->size(),
          reinterpret_cast<uint64_t>(found.memory->data()), 0};
}

// --- Commands ---

// The image that the contexts are on. Who did not load it has it from the one who did.
const DeviceImage& XclDevice::image_of_contexts() {
  if (!client_.has_context()) fail(EINVAL, "there is no context on a device image");
  if (image_ && image_->uuid() == client_.uuid()) return *image_;
  std::string why;
  const std::string bytes = share::kept_image(share::Share::get().segment().name(), why);
  auto image = bytes.empty() ? nullptr : DeviceImage::parse(bytes);
  if (image && image->uuid() != client_.uuid()) why = "this user's processes left another one";
  if (!why.empty())
    fail(EINVAL, "the file of the device image cannot be had (" + why +
                     "); load the image in this process, too, to run its kernels");
  image_ = std::move(image);
  kernels_.clear();
  program_ = {};
  return *image_;
}

// The compute unit that was used least, of those that may be used.
uint32_t XclDevice::choose_unit(const Packet& packet, const DeviceImage& image) {
  const auto& all = image.layout().compute_units;
  std::optional<uint32_t> best;
  for (uint32_t unit : packet.units) {
    if (!client_.has(unit)) continue;
    // A context was opened by what the segment says, and others write that, too.
    if (unit >= all.size())
      fail(EINVAL, "the device image has " + std::to_string(all.size()) +
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
      new Program(*context_, {Ref<Device>(&Device::root())}, std::vector{image_->program()}));
  program->build(program->devices(), "", nullptr);
  program_ = std::move(program);
}

Kernel& XclDevice::kernel_of(uint32_t unit, const DeviceImage& image) {
  if (!program_) build();
  Owned<Kernel>& kernel = kernels_[unit];
  if (!kernel) {
    kernel = Owned<Kernel>(new Kernel(*program_, image.layout().compute_units[unit].kernel));
    kernel->bind_to(std::make_shared<const ComputeUnitSet>(device_units(image, {unit})));
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

void XclDevice::set_arguments(Kernel& kernel, const Packet& packet) {
  RegisterMap map;
  const auto& arguments = kernel.info().arguments;
  for (cl_uint i = 0; i < arguments.size(); ++i) {
    const ArgumentInfo& argument = arguments[i];
    switch (argument.kind) {
      case ArgumentInfo::Kind::kValue: {
        std::vector<std::byte> value(RegisterMap::width(argument.size));
        packet.read(map.next(argument.size), value.data(), value.size());
        kernel.set_argument(i, argument.size, value.data());
        break;
      }
      case ArgumentInfo::Kind::kLocal:
        kernel.set_argument(i, packet.word(map.next(sizeof(uint32_t))), nullptr);
        break;
      case ArgumentInfo::Kind::kPointer: {
        uint64_t address;
        packet.read(map.next(sizeof address), &address, sizeof address);
        set_address(kernel, i, address);
        break;
      }
      default:
        fail(EINVAL, "argument '" + argument.name + "' of type " + argument.type_name +
                         " cannot be given by a register");
    }
  }
}

namespace {

// The index space that the registers behind the arguments tell.
IndexSpace index_space(const KernelInfo& info, const std::array<uint32_t, 6>& sizes) {
  IndexSpace space;
  space.dimensions = 3;
  size_t items = 1;
  for (size_t d = 0; d < 3; ++d) {
    const size_t required = info.required_local_size[d];
    space.local[d] = sizes[3 + d] ? sizes[3 + d] : required ? required : 1;
    space.global[d] = sizes[d] ? sizes[d] : space.local[d];
    if (required && space.local[d] != required)
      fail(EINVAL, "the kernel requires another local size");
    if (space.local[d] > Device::kMaxWorkGroupSize) fail(EINVAL, "a local size that is too large");
    if (info.uniform_work_groups && space.global[d] % space.local[d])
      fail(EINVAL, "the global size is no multiple of the local size");
    items *= space.local[d];
  }
  if (items > Device::kMaxWorkGroupSize) fail(EINVAL, "a work-group that is too large");
  return space;
}

}  // namespace

void XclDevice::execute(xclBufferHandle handle) {
  const std::lock_guard lock(mutex_);
  Memory& memory = *buffer(handle).memory;
  const Packet packet(memory.data(), memory.size());
  const DeviceImage& image = image_of_contexts();
  const uint32_t unit = choose_unit(packet, image);
  Kernel& kernel = kernel_of(unit, image);
  set_arguments(kernel, packet);
  RegisterMap map;
  for (const ArgumentInfo& argument : kernel.info().arguments)
    map.next(argument.kind == ArgumentInfo::Kind::kLocal ? sizeof(uint32_t) : argument.size);
  std::array<uint32_t, 6> sizes;
  packet.read(map.global_size(), sizes.data(), sizeof sizes);
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

  auto running = std::make_unique<Running>(shared_from_this(), unit, Ref<Memory>(&memory));
  auto command = std::make_unique<NdRange>(kernel, code, space);
  client_.begin_use(std::span(&unit, 1));
  ++starts_[unit];
  {
    const std::lock_guard ends_lock(ends_mutex_);
    ++running_;
  }
  set_state(reinterpret_cast<uint32_t*>(memory.data()), ERT_CMD_STATE_QUEUED);
  const Ref<Event> event = queue_->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::move(command), {});
  event->add_callback(CL_COMPLETE, &Running::end, running.release());
  event->release_handle();
  queue_->flush();
}

// The state last but for the wait: who sees it may close the context.
void XclDevice::ended(const Running& command, ert_cmd_state state) {
  client_.end_use(std::span(&command.unit, 1));
  set_state(reinterpret_cast<uint32_t*>(command.packet->data()), state);
  {
    const std::lock_guard lock(ends_mutex_);
    ++ends_;
    --running_;
    end_.notify_all();
  }
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
