// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/dma_channels.h"

#include <cstddef>
#include <cstring>

namespace conclave {

DmaChannels& DmaChannels::get() {
  // Leaked on purpose: kernels may run while the host's static objects are destroyed.
  static auto* channels = new DmaChannels;
  return *channels;
}

uint32_t DmaChannels::allocate(uint64_t transfers) {
  std::lock_guard lock(mutex_);
  if (transfers == 0 || transfers > kMostTransfers || channels_.size() >= kMost) return 0;
  do ++last_;
  while (last_ == 0 || channels_.contains(last_));
  channels_[last_].resize(transfers);
  return last_;
}

bool DmaChannels::free(uint32_t channel) {
  std::lock_guard lock(mutex_);
  return channels_.erase(channel) != 0;
}

bool DmaChannels::exists(uint32_t channel) {
  std::lock_guard lock(mutex_);
  return channels_.contains(channel);
}

DmaChannels::Shape* DmaChannels::find(uint32_t channel, uint32_t transfer) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || transfer >= found->second.size()) return nullptr;
  return &found->second[transfer];
}

bool DmaChannels::shape(uint32_t channel, uint32_t transfer, const Shape& shape) {
  std::lock_guard lock(mutex_);
  Shape* known = find(channel, transfer);
  if (known) *known = shape;
  return known;
}

bool DmaChannels::start(uint32_t channel, uint32_t transfer, const void* source,
                        void* destination) {
  Shape shape;
  {
    std::lock_guard lock(mutex_);
    const Shape* known = find(channel, transfer);
    if (!known) return false;
    shape = *known;
  }
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(destination);
  for (uint32_t line = 0; line < shape.lines; ++line) {
    std::memmove(to, from, shape.bytes);
    from += shape.source_pitch;
    to += shape.destination_pitch;
  }
  return true;
}

}  // namespace conclave
