// SPDX-License-Identifier: Apache-2.0
// cl_context.
#ifndef CONCLAVE_PLATFORM_MODEL_CONTEXT_H_
#define CONCLAVE_PLATFORM_MODEL_CONTEXT_H_

#include <CL/cl_ext_conclave.h>

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/base/object.h"
#include "platform/share/access_handles.h"

namespace conclave {

class CommandQueue;
class Context;
class Device;
class HostAllocations;
class Termination;

template <>
struct HandleOf<Context> {
  using Type = cl_context;
};

class Context : public Object<Context> {
 public:
  static constexpr uint32_t kMagic = 0x636f6e74;  // "cont"
  using Notify = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
  using Destructor = void(CL_CALLBACK*)(cl_context, void*);

  // `properties`: as the user gave them, with the terminating zero; empty if there were none.
  // `mode`: the mode in which the context has the device's array; none: it does not have it. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE} if another process has the device alone, or has the array in a
  // mode that forbids this one.
  Context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties,
          Notify notify, void* user_data, std::optional<share::AccessMode> mode = std::nullopt);
  ~Context();

  const std::vector<Ref<Device>>& devices() const { return devices_; }
  // Whether `device`, or a device of which it is a part, is in the context.
  bool has(const Device& device) const;
  const std::vector<cl_context_properties>& properties() const { return properties_; }

  // Tells the host's callback, if there is one, what went wrong.
  void report(const char* text) const noexcept;

  // Shared virtual memory and unified shared memory. What is left goes with the context.
  HostAllocations& allocations() { return *allocations_; }
  // cl_khr_initialize_memory: what begins with zeros.
  bool zeroes_local_memory() const {
    return zeroed_memory_ & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
  }
  bool zeroes_private_memory() const {
    return zeroed_memory_ & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
  }
  // cl_khr_terminate_context. Null if the context was not created for it.
  Termination* termination() const { return termination_.get(); }
  bool is_terminated() const { return termination_ && is_termination_done(); }
  // Ends all commands and makes the context unusable. Throws Error{CL_INVALID_OPERATION} if that is
  // not allowed, Error{CL_CONTEXT_TERMINATED_KHR} if it has been done before.
  void terminate();
  // Waits until all commands of the context's queues have ended.
  void finish_queues();
  // Called by each queue at its beginning and at its end.
  void add_queue(CommandQueue& queue);
  void remove_queue(CommandQueue& queue);

  // Destructor callbacks run in the reverse order of their registration.
  void add_destructor(Destructor function, void* user_data);

 private:
  bool is_termination_done() const;
  std::vector<Ref<CommandQueue>> live_queues();

  std::vector<Ref<Device>> devices_;
  std::vector<cl_context_properties> properties_;
  cl_context_properties zeroed_memory_ = 0;
  Notify notify_;
  void* notify_data_;
  std::optional<share::OpenArray> array_;
  std::unique_ptr<HostAllocations> allocations_;
  std::unique_ptr<Termination> termination_;
  std::mutex mutex_;
  std::set<CommandQueue*> queues_;
  std::vector<std::pair<Destructor, void*>> destructors_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_CONTEXT_H_
