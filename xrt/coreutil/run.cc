// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "xrt/coreutil/bo_impl.h"
#include "xrt/coreutil/failure.h"
#include "xrt/coreutil/kernel_impl.h"

namespace xrt {
namespace {

// The number of compute units that a packet's masks name; `count` has 11 bits.
constexpr uint32_t kMaskedUnits = 128;
constexpr size_t kMostWords = 2047;
constexpr size_t kSizeWords = 6;  // the global and the local size

using callback = std::function<void(const void*, ert_cmd_state, void*)>;

// The state of an execution, apart from the run itself, which may be gone when it ends.
class progress {
 public:
  explicit progress(const void* key) : key_(key) {}

  // From now on until end() it keeps the kernel and its contexts. Throws system_error(EBUSY).
  void begin(std::shared_ptr<kernel_impl> kernel) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_) fail(EBUSY, "the run has been started and has not ended");
    running_ = true;
    process_ = getpid();
    keep_ = std::move(kernel);
    before_ = state_;
    state_ = ERT_CMD_STATE_RUNNING;
  }
  // Called if it could not be started.
  void take_back() {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_ = false;
    keep_.reset();
    state_ = before_;
  }
  void end(ert_cmd_state state) {
    // Done before anybody learns of the end: a thread that waits for it and then releases the
    // kernel may rely on its contexts being closed.
    keep_.reset();
    std::vector<listener> listeners;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      running_ = false;
      state_ = state;
      listeners = listeners_;
      ended_.notify_all();
    }
    for (const listener& listener : listeners)
      if (listener.state == state || state != ERT_CMD_STATE_COMPLETED)
        listener.function(key_, state, listener.data);
  }

  ert_cmd_state state() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return state_;
  }
  // False if it has not ended in time; 0 means for ever. Throws system_error(ENODEV) in a child of
  // the process in which it runs, since nobody would tell the end there.
  bool wait(std::chrono::milliseconds timeout, ert_cmd_state& state) const {
    std::unique_lock<std::mutex> lock(mutex_);
    if (running_ && getpid() != process_)
      fail(ENODEV, "the run has been started by the process that this one was forked from");
    const auto over = [&] { return !running_; };
    bool in_time = true;
    if (timeout.count() == 0)
      ended_.wait(lock, over);
    else
      in_time = ended_.wait_for(lock, timeout, over);
    state = state_;
    return in_time;
  }
  void require_rest() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (running_) fail(EBUSY, "the run has been started and has not ended");
  }

  void add(ert_cmd_state state, callback function, void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    listeners_.push_back({state, std::move(function), data});
  }

 private:
  struct listener {
    ert_cmd_state state;
    callback function;
    void* data;
  };

  const void* const key_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool running_ = false;
  pid_t process_ = 0;                  // the one in which it was started last
  std::shared_ptr<kernel_impl> keep_;  // while it runs
  ert_cmd_state state_ = ERT_CMD_STATE_NEW, before_ = ERT_CMD_STATE_NEW;
  std::vector<listener> listeners_;
};

// The C interface calls this at the end, with a share of the progress.
void tell(unsigned int state, void* data) {
  const std::unique_ptr<std::shared_ptr<progress>> share(
      static_cast<std::shared_ptr<progress>*>(data));
  (*share)->end(static_cast<ert_cmd_state>(state));
}

}  // namespace

class run_impl {
 public:
  explicit run_impl(std::shared_ptr<kernel_impl> kernel)
      : kernel_(std::move(kernel)),
        buffers_(kernel_->arguments().size()),
        masks_(count_masks(*kernel_)),
        words_(1 + masks_ + kernel_->global_size() / sizeof(uint32_t) + kSizeWords),
        packet_(kernel_->device(), xclAllocBO(kernel_->device()->handle(),
                                              words_ * sizeof(uint32_t), 0, XCL_BO_FLAGS_EXECBUF)) {
    if (words_ - 1 > kMostWords)
      fail(EINVAL, "kernel '" + kernel_->name() + "' has more registers than a packet");
    for (uint32_t unit : kernel_->units()) packet()->data[unit / 32] |= 1u << unit % 32;
    set_size(0, {1, 1, 1});
  }

  // A run whose execution is not over gives the packet away: the device keeps it until the end.
  ert_packet* packet() const { return reinterpret_cast<ert_packet*>(packet_.data()); }
  const kernel_impl& kernel() const { return *kernel_; }
  progress& execution() const { return *progress_; }

  // `index`: 0 for the global size, 1 for the local one.
  void set_size(uint32_t index, const std::array<uint32_t, 3>& size) {
    progress_->require_rest();
    std::memcpy(registers(kernel_->global_size() + index * sizeof size), size.data(), sizeof size);
  }

  void set_buffer(int index, const bo& buffer) {
    const xclConclaveArgument& argument = settable(index);
    const auto& impl = buffer.get_handle();
    if (!impl) refuse(argument, "takes no empty buffer object");
    if (argument.kind != XCL_CONCLAVE_ARGUMENT_POINTER) refuse(argument, "takes no buffer object");
    if (impl->device() != kernel_->device()->handle())
      refuse(argument, "takes a buffer object of the kernel's own device object");
    const uint64_t address = impl->address();
    std::memcpy(registers(argument.offset), &address, sizeof address);
    buffers_[static_cast<size_t>(index)] = impl;
  }

  void set_integer(int index, int64_t value) {
    const xclConclaveArgument& argument = settable(index);
    if (argument.size > sizeof value)
      refuse(argument, "has " + std::to_string(argument.size) + " bytes and takes no integer");
    store(index, argument, &value);
  }

  void set_value(int index, const void* value, size_t bytes) {
    const xclConclaveArgument& argument = settable(index);
    if (bytes != argument.size)
      refuse(argument,
             "has " + std::to_string(argument.size) + " bytes, not " + std::to_string(bytes));
    if (!value) refuse(argument, "takes no null pointer to a value");
    store(index, argument, value);
  }

  void start() {
    progress_->begin(kernel_);
    ert_packet* packet = this->packet();
    packet->header = 0;
    packet->state = ERT_CMD_STATE_NEW;
    packet->opcode = ERT_START_CU;
    packet->type = ERT_CU;
    packet->custom = (masks_ - 1) << 6;  // extra_cu_masks of ert_start_kernel_cmd
    packet->count = static_cast<uint32_t>(words_ - 1) & kMostWords;
    auto share = std::make_unique<std::shared_ptr<progress>>(progress_);
    const int result =
        xclConclaveExecBuf(kernel_->device()->handle(), packet_.handle(), &tell, share.get());
    if (result < 0) {
      progress_->take_back();
      fail_as_told(-result, "failed to start kernel '" + kernel_->name() + "'");
    }
    (void)share.release();
  }

 private:
  static uint32_t count_masks(const kernel_impl& kernel) {
    const uint32_t last = *std::max_element(kernel.units().begin(), kernel.units().end());
    if (last >= kMaskedUnits)
      fail(EINVAL, "compute unit " + std::to_string(last) + " of kernel '" + kernel.name() +
                       "': packets name the first " + std::to_string(kMaskedUnits) + " alone");
    return last / 32 + 1;
  }

  [[noreturn]] static void refuse(const xclConclaveArgument& argument, const std::string& why) {
    fail(EINVAL,
         std::string("argument '") + argument.name + "' of type " + argument.type + " " + why);
  }

  std::byte* registers(uint32_t offset) const {
    return packet_.data() + (1 + masks_) * sizeof(uint32_t) + offset;
  }

  // The argument, if it may be set now.
  const xclConclaveArgument& settable(int index) const {
    const xclConclaveArgument& argument = kernel_->argument(index);
    if (argument.kind == XCL_CONCLAVE_ARGUMENT_OTHER)
      refuse(argument, "cannot be given by a register; such kernels are OpenCL's");
    progress_->require_rest();
    return argument;
  }

  void store(int index, const xclConclaveArgument& argument, const void* value) {
    std::memcpy(registers(argument.offset), value, argument.size);
    buffers_[static_cast<size_t>(index)].reset();
  }

  const std::shared_ptr<kernel_impl> kernel_;
  std::vector<std::shared_ptr<bo_impl>> buffers_;  // by argument: kept while they are set
  const uint32_t masks_;
  const size_t words_;  // of the packet, its header included
  const bo_impl packet_;
  const std::shared_ptr<progress> progress_ = std::make_shared<progress>(this);
};

namespace {

run_impl& require_run(const std::shared_ptr<run_impl>& run) {
  if (!run) fail(EINVAL, "an empty run");
  return *run;
}

}  // namespace

run::run(const class kernel& kernel)
    : impl_(std::make_shared<run_impl>(require_kernel(kernel.get_handle()))) {}

int run::get_arg_index(const std::string& name) const {
  return require_run(impl_).kernel().index_of(name);
}

void run::set_nothing(int index) {
  require_run(impl_).kernel().argument(index);
}

void run::set_buffer(int index, const bo& buffer) {
  require_run(impl_).set_buffer(index, buffer);
}

void run::set_integer(int index, int64_t value) {
  require_run(impl_).set_integer(index, value);
}

void run::set_value(int index, const void* value, size_t bytes) {
  require_run(impl_).set_value(index, value, bytes);
}

void run::set_global_size(uint32_t x, uint32_t y, uint32_t z) {
  require_run(impl_).set_size(0, {x, y, z});
}

void run::set_local_size(uint32_t x, uint32_t y, uint32_t z) {
  require_run(impl_).set_size(1, {x, y, z});
}

void run::start() {
  require_run(impl_).start();
}

void run::stop() {
  wait();
}

ert_cmd_state run::abort() {
  const progress& execution = require_run(impl_).execution();
  execution.require_rest();
  return execution.state();
}

ert_cmd_state run::wait(const std::chrono::milliseconds& timeout) const {
  ert_cmd_state state;
  return require_run(impl_).execution().wait(timeout, state) ? state : ERT_CMD_STATE_TIMEOUT;
}

std::cv_status run::wait2(const std::chrono::milliseconds& timeout) const {
  ert_cmd_state state;
  if (!require_run(impl_).execution().wait(timeout, state)) return std::cv_status::timeout;
  if (state != ERT_CMD_STATE_COMPLETED)
    throw command_error(
        state, "kernel '" + impl_->kernel().name() + "' ended in state " + std::to_string(state));
  return std::cv_status::no_timeout;
}

ert_cmd_state run::state() const {
  return require_run(impl_).execution().state();
}

void run::add_callback(ert_cmd_state state, callback function, void* data) {
  require_run(impl_).execution().add(state, std::move(function), data);
}

ert_packet* run::get_ert_packet() const {
  return require_run(impl_).packet();
}

}  // namespace xrt
