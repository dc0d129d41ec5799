// SPDX-License-Identifier: Apache-2.0
#include "platform/model/context.h"

#include <algorithm>

#include "platform/base/config.h"
#include "platform/check/shadow_memory.h"
#include "platform/model/command_queue.h"
#include "platform/model/device.h"
#include "platform/model/host_allocations.h"
#include "platform/share/share.h"

namespace conclave {

Context::Context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties,
                 Notify notify, void* user_data, std::optional<share::AccessMode> mode)
    : devices_(std::move(devices)),
      properties_(std::move(properties)),
      notify_(notify),
      notify_data_(user_data),
      allocations_(std::make_unique<HostAllocations>()) {
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

void Context::finish_queues() {
  std::vector<Ref<CommandQueue>> queues;
  {
    std::lock_guard lock(mutex_);
    for (CommandQueue* queue : queues_)
      if (queue->retain_if_alive()) queues.push_back(Ref<CommandQueue>::adopt(queue));
  }
  for (const Ref<CommandQueue>& queue : queues) queue->finish();
}

void Context::add_destructor(Destructor function, void* user_data) {
  std::lock_guard lock(mutex_);
  destructors_.emplace_back(function, user_data);
}

}  // namespace conclave
