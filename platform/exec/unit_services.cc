// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/unit_services.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "platform/base/align.h"
#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/futex.h"
#include "platform/base/host_cpus.h"
#include "platform/exec/dma_channels.h"
#include "platform/exec/streamed_call.h"
#include "platform/loader/kernel_calls.h"

namespace conclave {
namespace {

using abi::DeviceCall;

// The heaps' numbers in ti_device.h.
enum HeapNumber : uint64_t { kDdr, kMsmc, kLocal };

constexpr uint64_t kLocalHeapAlignment = 16;

// Null until a kernel asks for one. Leaked on purpose: kernels may run while the host's static
// objects are destroyed.
using SharedHeaps = std::array<KernelHeap, 2>;
std::atomic<SharedHeaps*> g_shared_heaps{nullptr};

KernelHeap& shared_heap(uint64_t number) {
  static auto* heaps = [] {
    auto* made = new SharedHeaps;
    g_shared_heaps.store(made, std::memory_order_release);
    return made;
  }();
  return (*heaps)[number == kMsmc];
}

void delay(uint64_t duration) {
  const uint64_t start = device_cycles();
  while (device_cycles() - start < duration) spin_pause();
}

void touch(const char* memory, uint64_t bytes) {
  constexpr uint64_t kCacheLine = 64;
  for (uint64_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(memory + at);
}

uint64_t allocate_zeros(KernelHeap& heap, uint64_t count, uint64_t bytes) {
  if (__builtin_mul_overflow(count, bytes, &bytes)) return 0;
  const uint64_t block = heap.allocate(bytes, 1);
  if (block) std::memset(reinterpret_cast<void*>(block), 0, bytes);
  return block;
}

uint32_t list_number(uint32_t number) {
  const auto& list = Config::get().compute_unit_list;
  return static_cast<uint32_t>(std::lower_bound(list.begin(), list.end(), number) - list.begin());
}

}  // namespace

abi::UnitAccess UnitServices::access(uint32_t number) {
  return {&call, this, number, list_number(number)};
}

const abi::UnitAccess& UnitServices::without_unit() {
  static const auto* access = [] {
    auto* services = new UnitServices;
    services->has_unit_ = false;
    return new abi::UnitAccess{&call, services, UINT32_MAX, UINT32_MAX};
  }();
  return *access;
}

void UnitServices::forget_heaps(const void* memory, size_t bytes) {
  SharedHeaps* heaps = g_shared_heaps.load(std::memory_order_acquire);
  if (!heaps) return;
  for (KernelHeap& heap : *heaps) heap.forget(reinterpret_cast<uint64_t>(memory), bytes);
}

uint64_t UnitServices::Level::start() {
  if (!memory) memory.reset(new (std::nothrow) std::byte[bytes + abi::kBlockAlignment]);
  return align_up(reinterpret_cast<uint64_t>(memory.get()), abi::kBlockAlignment);
}

bool UnitServices::Level::set_cache(uint64_t wanted) {
  if (wanted > bytes) return false;
  cache = wanted;
  return true;
}

UnitServices::Level* UnitServices::level(uint64_t number) {
  return has_unit_ && (number == 1 || number == 2) ? &levels_[number - 1] : nullptr;
}

uint64_t UnitServices::call(void* self, DeviceCall call, uint64_t a, uint64_t b, uint64_t c) {
  if (call == DeviceCall::kDelay) return delay(a), 0;
  // The thread that continues after a wait may be another one.
  if (call == DeviceCall::kStreamWait) return StreamedCall::wait(a, b);
  if (call == DeviceCall::kStreamFill) return StreamedCall::fill(a);
  // The kernel is not left while locks are held.
  kernel_calls::Hold hold;
  try {
    return static_cast<UnitServices*>(self)->answer(call, a, b, c);
  } catch (const std::bad_alloc&) {  // no exception passes through kernel code
    return 0;
  }
}

uint64_t UnitServices::answer(DeviceCall call, uint64_t a, uint64_t b, uint64_t c) {
  switch (call) {
    case DeviceCall::kClock:
      return device_cycles();
    case DeviceCall::kClockMhz:
      return host_cpu_mhz();
    case DeviceCall::kTouch:
      touch(reinterpret_cast<const char*>(a), b);
      return 0;
    case DeviceCall::kCacheSize:
      return level(a) ? level(a)->cache : 0;
    case DeviceCall::kSetCacheSize:
      return level(a) && level(a)->set_cache(b);
    case DeviceCall::kScratchStart:
      return level(a) ? level(a)->start() : 0;
    case DeviceCall::kScratchSize:
      return level(a) ? level(a)->bytes - level(a)->cache : 0;
    case DeviceCall::kHeapInit:
    case DeviceCall::kHeapAllocate:
    case DeviceCall::kHeapCallocate:
    case DeviceCall::kHeapReallocate:
    case DeviceCall::kHeapFree:
      return answer_heap(call, a, b, c);
    default:
      return answer_dma(call, a, b, c);
  }
}

uint64_t UnitServices::answer_heap(DeviceCall call, uint64_t heap, uint64_t b, uint64_t c) {
  if (heap == kLocal && !has_unit_) return 0;
  if (call == DeviceCall::kHeapInit && heap == kLocal) {
    local_heap_ = align_up(b, kLocalHeapAlignment);
    local_heap_end_ = b + c;
    return 0;
  }
  if (heap == kLocal) return call == DeviceCall::kHeapAllocate ? allocate_locally(b) : 0;
  KernelHeap& shared = shared_heap(heap);
  switch (call) {
    case DeviceCall::kHeapInit:
      shared.init(b, c);
      return 0;
    case DeviceCall::kHeapAllocate:
      return shared.allocate(b, c);
    case DeviceCall::kHeapCallocate:
      return allocate_zeros(shared, b, c);
    case DeviceCall::kHeapReallocate:
      return shared.reallocate(b, c);
    default:
      shared.free(b);
      return 0;
  }
}

// Nothing is ever freed, so the heap only grows.
uint64_t UnitServices::allocate_locally(uint64_t bytes) {
  if (local_heap_ >= local_heap_end_ || bytes > local_heap_end_ - local_heap_) return 0;
  const uint64_t block = local_heap_;
  local_heap_ += align_up(std::max<uint64_t>(bytes, 1), kLocalHeapAlignment);
  return block;
}

uint64_t UnitServices::answer_dma(DeviceCall call, uint64_t a, uint64_t b, uint64_t c) {
  DmaChannels& channels = DmaChannels::get();
  const auto channel = static_cast<uint32_t>(a), transfer = static_cast<uint32_t>(a >> 32);
  switch (call) {
    case DeviceCall::kDmaAllocate:
      return channels.allocate(a);
    case DeviceCall::kDmaFree:
      return channels.free(channel);
    case DeviceCall::kDmaWait:
      return channels.exists(channel);
    case DeviceCall::kDmaShape:
      return channels.shape(channel, transfer,
                            {.bytes = static_cast<uint32_t>(b),
                             .lines = static_cast<uint32_t>(b >> 32),
                             .source_pitch = static_cast<int32_t>(c),
                             .destination_pitch = static_cast<int32_t>(c >> 32)});
    case DeviceCall::kDmaStart:
      return channels.start(channel, transfer, reinterpret_cast<const void*>(b),
                            reinterpret_cast<void*>(c));
    default:
      return 0;
  }
}

}  // namespace conclave
