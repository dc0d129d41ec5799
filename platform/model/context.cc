// SPDX-License-Identifier: Apache-2.0
#include "platform/model/context.h"

#include <CL/cl_ext.h>

#include <algorithm>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/check/shadow_memory.h"
#include "platform/model/command_queue.h"
#include "platform/model/device.h"
#include "platform/model/host_allocations.h"
#include "platform/model/termination.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// The value of a property; 0 if it is not given.
cl_context_properties value_of(const std::vector<cl_context_properties>& properties,
                               cl_context_properties name) {
  for (size_t i = 0; i + 1 < properties.size(); i += 2)
    if (properties[i] == name) return properties[i + 1];
  return 0;
}

}  // namespace

Context::Context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties,
                 Notify notify, void* user_data, std::optional<share::AccessMode> mode)
    : devices_(std::move(devices)),
      properties_(std::move(properties)),
      notify_(notify),
      notify_data_(user_data),
      allocations_(std::make_unique<HostAllocations>()) {
  zeroed_memory_ = value_of(properties_, CL_CONTEXT_MEMORY_INITIALIZE_KHR);
  if (value_of(properties_, CL_CONTEXT_TERMINATE_KHR))
    termination_ = std::make_unique<Termination>();
  share::Share::get().open_context();
  try {
    if (mode) array_.emplace(*mode);
  } catch (...) {
    share::Share::get().close_context();
    throw;
  }
  if (Config::get().check != Config::Check::kOff) check::ShadowMemory::turn_on();
}

Context::~Context() {
  for (auto it = destructors_.rbegin(); it != destructors_.rend(); ++it)
    it->first(handle(), it->second);
  allocations_.reset();
  array_.reset();
  if (share::Share* share = share::Share::if_open()) share->close_context();
}

bool Context::has(const Device& device) const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [&](const Ref<Device>& d) { return device.is_within(*d); });
}

void Context::report(const char* text) const noexcept {
  if (notify_) notify_(text, nullptr, 0, notify_data_);
}

void Context::add_queue(CommandQueue& queue) {
  std::lock_guard lock(mutex_);
  queues_.insert(&queue);
}

void Context::remove_queue(CommandQueue& queue) {
  std::lock_guard lock(mutex_);
  queues_.erase(&queue);
}

std::vector<Ref<CommandQueue>> Context::live_queues() {
  std::vector<Ref<CommandQueue>> queues;
  std::lock_guard lock(mutex_);
  for (CommandQueue* queue : queues_)
    if (queue->retain_if_alive()) queues.push_back(Ref<CommandQueue>::adopt(queue));
  return queues;
}

void Context::finish_queues() {
  for (const Ref<CommandQueue>& queue : live_queues()) queue->finish();
}

bool Context::is_termination_done() const {
  return termination_->is_done();
}

void Context::terminate() {
  require(termination_ != nullptr, CL_INVALID_OPERATION,
          "the context was created without CL_CONTEXT_TERMINATE_KHR");
  termination_->run();
  // What waits in the queues for the host's next flush.
  for (const Ref<CommandQueue>& queue : live_queues()) queue->flush();
  report("the context has been terminated");
}

void Context::add_destructor(Destructor function, void* user_data) {
  std::lock_guard lock(mutex_);
  destructors_.emplace_back(function, user_data);
}

}  // namespace conclave
