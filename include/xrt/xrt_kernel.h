// SPDX-License-Identifier: Apache-2.0
// xrt::kernel: a kernel of an xclbin on some of its compute units; xrt::run: an execution.
#ifndef CONCLAVE_XRT_XRT_KERNEL_H_
#define CONCLAVE_XRT_XRT_KERNEL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "ert.h"
#include "xrt.h"
#include "xrt_bo.h"
#include "xrt_device.h"
#include "xrt_exception.h"
#include "xrt_hw_context.h"
#include "xrt_uuid.h"
#include "xrt_xclbin.h"

namespace xrt {

class kernel;
class kernel_impl;
class run_impl;

// Copies are the same execution, with the same arguments. It may be started again and again. A
// started execution ends even if nobody has it any more.
class XCL_DRIVER_DLLESPEC run {
 public:
  // What wait2() throws.
  class command_error : public system_error {
   public:
    command_error(ert_cmd_state state, const std::string& text)
        : system_error(EIO, text), state_(state) {}
    ert_cmd_state get_command_state() const { return state_; }

   private:
    ert_cmd_state state_;
  };

  // An empty execution: calls on it throw EINVAL.
  run() = default;
  explicit run(const kernel& kernel);

  explicit operator bool() const { return impl_ != nullptr; }
  bool operator<(const run& other) const { return impl_ < other.impl_; }

  // Sets an argument by its number or its name: a buffer object (or a part of one), or a value.
  // Integers are converted to the kernel's size; everything else must have that size. Local memory
  // is given by its size in bytes. nullptr leaves an argument as it is; at first all are 0. Throws
  // system_error: EINVAL for a number or name that the kernel does not have, or a value that it
  // cannot take; EBUSY while it runs.
  template <class Value>
  void set_arg(int index, Value&& value) {
    set(index, std::forward<Value>(value));
  }
  template <class Value>
  void set_arg(const std::string& name, Value&& value) {
    set(get_arg_index(name), std::forward<Value>(value));
  }
  // Sets the argument to the bytes at `value`; there must be as many as the argument has.
  void set_arg(int index, const void* value, size_t bytes) { set_value(index, value, bytes); }
  void set_arg(const std::string& name, const void* value, size_t bytes) {
    set_value(get_arg_index(name), value, bytes);
  }
  // The same: compute units here read their arguments when they start.
  template <class Value>
  void update_arg(int index, Value&& value) {
    set(index, std::forward<Value>(value));
  }
  template <class Value>
  void update_arg(const std::string& name, Value&& value) {
    set(get_arg_index(name), std::forward<Value>(value));
  }
  int get_arg_index(const std::string& name) const;

  // Conclave's extension: the number of work-items, in all and per work-group, by dimension. At
  // first there is one. The platform chooses a local size of 0.
  void set_global_size(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  void set_local_size(uint32_t x, uint32_t y = 1, uint32_t z = 1);

  // Starts it. Throws system_error: EBUSY while it runs, EINVAL if the kernel has no context or an
  // argument is invalid for it.
  void start();
  // Waits for the end.
  void stop();
  // A kernel is not ended in the middle: throws system_error(EBUSY) while it runs. Returns the
  // state in which it has ended.
  ert_cmd_state abort();

  // Sets all arguments and starts it.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    int index = 0;
    (set_arg(index++, std::forward<Arguments>(arguments)), ...);
    start();
  }

  // Waits for the end, or that many milliseconds unless it is 0. Returns the state:
  // ERT_CMD_STATE_COMPLETED (4), ERT_CMD_STATE_ERROR (5) if the kernel failed,
  // ERT_CMD_STATE_TIMEOUT (8) if it still runs, which state() does not return.
  ert_cmd_state wait(const std::chrono::milliseconds& timeout) const;
  ert_cmd_state wait(unsigned int timeout_ms = 0) const {
    return wait(std::chrono::milliseconds(timeout_ms));
  }
  // The same; std::cv_status::timeout if it still runs. Throws command_error for any other end than
  // ERT_CMD_STATE_COMPLETED.
  std::cv_status wait2(const std::chrono::milliseconds& timeout) const;
  void wait2() const { wait2(std::chrono::milliseconds(0)); }
  // ERT_CMD_STATE_NEW before the first start.
  ert_cmd_state state() const;

  // Calls `function` with `data` at the end of each execution in `state` or in an error, on a
  // thread of the device. The function should be short and must not wait. `run` is the same for all
  // copies.
  void add_callback(ert_cmd_state state,
                    std::function<void(const void* run, ert_cmd_state, void* data)> function,
                    void* data);

  // The packet, for XRT's C interface.
  ert_packet* get_ert_packet() const;

  const std::shared_ptr<run_impl>& get_handle() const { return impl_; }

 private:
  void set(int index, const bo& buffer) { set_buffer(index, buffer); }
  void set(int index, bo& buffer) { set_buffer(index, buffer); }
  void set(int index, bo&& buffer) { set_buffer(index, buffer); }
  void set(int index, std::nullptr_t) { set_nothing(index); }
  template <class Value>
  void set(int index, Value&& value) {
    using Type = std::remove_cv_t<std::remove_reference_t<Value>>;
    static_assert(std::is_trivially_copyable<Type>::value,
                  "an argument is a buffer object or a value that can be copied byte by byte");
    if constexpr (std::is_integral<Type>::value || std::is_enum<Type>::value)
      set_integer(index, static_cast<int64_t>(value));
    else
      set_value(index, &value, sizeof value);
  }
  void set_nothing(int index);
  void set_buffer(int index, const bo& buffer);
  void set_integer(int index, int64_t value);
  void set_value(int index, const void* value, size_t bytes);

  std::shared_ptr<run_impl> impl_;
};

// Copies are the same kernel. Its contexts on its compute units close with the last copy and its
// last run.
class XCL_DRIVER_DLLESPEC kernel {
 public:
  enum class cu_access_mode : uint8_t {
    exclusive = 0,  // nobody else may have a context on the compute units
    shared = 1,
    none = 2  // no context: the kernel can be looked at, but not run
  };

  // An empty kernel: calls on it throw EINVAL.
  kernel() = default;
  // `name`: "kernel", which means all its compute units, or "kernel:{unit,unit}". Throws
  // system_error: EINVAL for a null UUID; EBUSY if `uuid` is not the loaded xclbin, or if another
  // client has a compute unit in a way that forbids this; ENOENT if the xclbin has no such kernel
  // or compute unit; EPERM while another process has the device alone.
  kernel(const device& device, const uuid& uuid, const std::string& name,
         cu_access_mode mode = cu_access_mode::shared);
  kernel(const device& device, const uuid& uuid, const std::string& name, bool exclusive)
      : kernel(device, uuid, name, exclusive ? cu_access_mode::exclusive : cu_access_mode::shared) {
  }
  kernel(const hw_context& context, const std::string& name);

  explicit operator bool() const { return impl_ != nullptr; }

  // Starts an execution with these arguments, which may be all that run::set_arg() takes.
  template <class... Arguments>
  run operator()(Arguments&&... arguments) const {
    run execution(*this);
    execution(std::forward<Arguments>(arguments)...);
    return execution;
  }

  // The bank for buffer objects of an argument, and the offset of its register in bytes. Both throw
  // system_error(EINVAL) if the kernel has no argument of this number.
  int group_id(int argument) const;
  uint32_t offset(int argument) const;
  // The name without compute units.
  std::string get_name() const;
  // Empty if this process has neither loaded nor registered the xclbin.
  xclbin get_xclbin() const;

  const std::shared_ptr<kernel_impl>& get_handle() const { return impl_; }

 private:
  std::shared_ptr<kernel_impl> impl_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_KERNEL_H_
