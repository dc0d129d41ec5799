// SPDX-License-Identifier: Apache-2.0
#include "platform/model/semaphore.h"

#include <utility>

#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/exec/semaphore_watch.h"
#include "platform/model/context.h"
#include "platform/model/device.h"

namespace conclave {
namespace {

// How often to try to take a signal while somebody changes the word.
constexpr int kMostTries = 100;

SharedStorage import(int descriptor) {
  try {
    return SharedStorage::import(descriptor);
  } catch (const Error& error) {
    throw Error(CL_INVALID_PROPERTY, error.text());
  }
}

}  // namespace

Semaphore::Semaphore(Context& context, Device& device,
                     std::vector<cl_semaphore_properties_khr> properties, Sharing sharing)
    : Semaphore(context, device, std::move(properties), sharing, SharedStorage(sizeof(Content))) {
  reinterpret_cast<Content*>(storage_.data())->kind = kKind;
  if (sharing == Sharing::kExportable) storage_.share();
}

Semaphore::Semaphore(Context& context, Device& device,
                     std::vector<cl_semaphore_properties_khr> properties, int descriptor)
    : Semaphore(context, device, std::move(properties), Sharing::kImported,
                conclave::import(descriptor)) {}

Semaphore::Semaphore(Context& context, Device& device,
                     std::vector<cl_semaphore_properties_khr> properties, Sharing sharing,
                     SharedStorage storage)
    : context_(&context),
      device_(&device),
      properties_(std::move(properties)),
      sharing_(sharing),
      storage_(std::move(storage)) {
  const bool is_large_enough = storage_.size() >= sizeof(Content);
  auto* content = reinterpret_cast<Content*>(storage_.data());
  require(sharing != Sharing::kImported || (is_large_enough && content->kind == kKind),
          CL_INVALID_PROPERTY, "the descriptor is not that of a semaphore");
  word_ = &content->word;
}

Semaphore::~Semaphore() = default;

bool Semaphore::take() {
  uint32_t signals = word().load();
  for (int tries = 0; signals != 0 && tries < kMostTries; ++tries)
    if (word().compare_exchange_weak(signals, signals - 1)) return true;
  return false;
}

// The word comes first: a thread that begins to wait afterwards sees it.
void Semaphore::signal() {
  word().fetch_add(1);
  if (sharing_ != Sharing::kPrivate) futex_wake_shared(word());
  SemaphoreWatch::get().look();
}

}  // namespace conclave
