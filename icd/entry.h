// SPDX-License-Identifier: Apache-2.0
// What every entry point is made of: the wrapper that turns exceptions into error codes, the checks
// that turn handles into objects, and the answer of the clGet*Info functions.
#ifndef CONCLAVE_ICD_ENTRY_H_
#define CONCLAVE_ICD_ENTRY_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/object.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/event.h"
#include "platform/model/kernel.h"
#include "platform/model/memory.h"
#include "platform/model/platform.h"
#include "platform/model/program.h"
#include "platform/model/sampler.h"

// Marks the few entry points that loaders look up by name; exports.map lists the same.
#define CONCLAVE_EXPORT __attribute__((visibility("default")))

namespace conclave::icd {

// The context of the current call, as far as its handles have told; its callback gets the errors.
inline constinit thread_local Context* current_context = nullptr;

// Logs an error and tells the current context's callback.
void report(const char* function, cl_int code, const char* text) noexcept;

// Runs the body of an entry point and returns its error code.
template <class Body>
cl_int guarded(const char* function, Body&& body) noexcept {
  current_context = nullptr;
  try {
    body();
    return CL_SUCCESS;
  } catch (const Error& error) {
    report(function, error.code(), error.what());
    return error.code();
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& other) {
    report(function, CL_OUT_OF_RESOURCES, other.what());
    return CL_OUT_OF_RESOURCES;
  }
}

// The same for entry points that return a new object (or a pointer) and their code through `code`.
template <class Body>
auto create(const char* function, cl_int* code, Body&& body) noexcept {
  using Result = std::invoke_result_t<Body>;
  Result result{};
  cl_int status = guarded(function, [&] { result = body(); });
  if (code) *code = status;
  return result;
}

// --- Handles to objects; throw the error code of an invalid handle ---

inline Platform& platform(cl_platform_id handle) {
  Platform* object = Platform::from(handle);
  require(object, CL_INVALID_PLATFORM, "not a platform of this library");
  return *object;
}
inline Device& device(cl_device_id handle) {
  Device* object = Device::from(handle);
  require(object, CL_INVALID_DEVICE, "not a device, or released");
  return *object;
}
inline Context& any_context(cl_context handle) {
  Context* object = Context::from(handle);
  require(object, CL_INVALID_CONTEXT, "not a context, or released");
  current_context = object;
  return *object;
}
// Throws Error{CL_CONTEXT_TERMINATED_KHR}. For calls that create objects or enqueue commands.
inline void require_usable(const Context& context) {
  require(!context.is_terminated(), CL_CONTEXT_TERMINATED_KHR, "the context is terminated");
}
// A context that will be used.
inline Context& context(cl_context handle) {
  Context& object = any_context(handle);
  require_usable(object);
  return object;
}
// Refuses a child process that was forked after its parent used the device.
void require_own_process();
inline CommandQueue& any_queue(cl_command_queue handle) {
  CommandQueue* object = CommandQueue::from(handle);
  require(object, CL_INVALID_COMMAND_QUEUE, "not a command queue, or released");
  current_context = &object->context();
  return *object;
}
// A queue whose commands will run or end; not in such a child.
inline CommandQueue& running_queue(cl_command_queue handle) {
  CommandQueue& object = any_queue(handle);
  require_own_process();
  return object;
}
// A queue that gets a command.
inline CommandQueue& queue(cl_command_queue handle) {
  CommandQueue& object = running_queue(handle);
  require_usable(object.context());
  return object;
}
inline Event& event(cl_event handle) {
  Event* object = Event::from(handle);
  require(object, CL_INVALID_EVENT, "not an event, or released");
  current_context = &object->context();
  return *object;
}
inline Memory& memory(cl_mem handle) {
  Memory* object = Memory::from(handle);
  require(object, CL_INVALID_MEM_OBJECT, "not a memory object, or released");
  current_context = &object->context();
  return *object;
}
inline Memory& buffer(cl_mem handle) {
  Memory& object = memory(handle);
  require(object.is_buffer(), CL_INVALID_MEM_OBJECT,
          "an image or a pipe, where a buffer is wanted");
  return object;
}
inline Memory& image(cl_mem handle) {
  Memory& object = memory(handle);
  require(object.image(), CL_INVALID_MEM_OBJECT, "a buffer, where an image is wanted");
  return object;
}
inline Sampler& sampler(cl_sampler handle) {
  Sampler* object = Sampler::from(handle);
  require(object, CL_INVALID_SAMPLER, "not a sampler, or released");
  current_context = &object->context();
  return *object;
}
inline Program& program(cl_program handle) {
  Program* object = Program::from(handle);
  require(object, CL_INVALID_PROGRAM, "not a program, or released");
  current_context = &object->context();
  return *object;
}
inline Kernel& kernel(cl_kernel handle) {
  Kernel* object = Kernel::from(handle);
  require(object, CL_INVALID_KERNEL, "not a kernel, or released");
  current_context = &object->program().context();
  return *object;
}

// The code for a per-device query. The only device may be left out. Throws Error{CL_INVALID_DEVICE}.
const KernelCode& code_for_query(const Kernel& kernel, cl_device_id handle);

// clRelease*: throws Error{code} if the host has released everything it had.
template <class T>
void release(T& object, cl_int code) {
  current_context = nullptr;  // which may go with the object
  require(object.release_handle(), code, "the host holds no reference that it could release");
}

// An array argument: its count and pointer must agree.
inline void require_list(size_t count, const void* list, cl_int code, const char* text) {
  require((count == 0) == (list == nullptr), code, text);
}

std::vector<Ref<Event>> checked_wait_list(const Context& context, cl_uint count,
                                          const cl_event* list);
// The events of a wait list. Throws Error{CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT}.
inline std::vector<Ref<Event>> wait_list(const Context& context, cl_uint count,
                                         const cl_event* list) {
  if (count == 0 && !list) [[likely]]
    return {};
  return checked_wait_list(context, count, list);
}

// Gives the event of an enqueued command to the host, if it wants it.
inline void hand_out(Ref<Event> event, cl_event* out) {
  if (out)
    *out = event->handle();
  else
    event.detach()->drop_handle(1);
}

// Ends a blocking call: an error of its command, or of what that waited for, is the call's error.
void wait_blocking(CommandQueue& queue, Ref<Event> event, cl_event* out);

// The answer to a clGet*Info call.
class Info {
 public:
  // The three last arguments of the call.
  Info(size_t size, void* value, size_t* size_ret)
      : size_(size), value_(value), size_ret_(size_ret) {}

  void bytes(const void* data, size_t size) const {
    if (value_) {
      require(size_ >= size, CL_INVALID_VALUE, "the value needs more room than param_value_size");
      if (size) std::memcpy(value_, data, size);
    }
    if (size_ret_) *size_ret_ = size;
  }
  template <class T>
  void value(const T& data) const {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&data, sizeof data);
  }
  void text(const std::string& data) const { bytes(data.c_str(), data.size() + 1); }
  template <class T>
  void list(const std::vector<T>& data) const {
    bytes(data.data(), data.size() * sizeof(T));
  }
  void flag(bool data) const { value<cl_bool>(data ? CL_TRUE : CL_FALSE); }

  size_t size() const { return size_; }
  void* target() const { return value_; }

 private:
  size_t size_;
  void* value_;
  size_t* size_ret_;
};

[[noreturn]] inline void unknown_query(cl_uint name) {
  throw Error(CL_INVALID_VALUE, "unknown param_name " + std::to_string(name));
}

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_ENTRY_H_
