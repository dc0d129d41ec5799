// SPDX-License-Identifier: Apache-2.0
// What a compute unit does at the request of the kernel that runs on it (abi::DeviceCall): TI's
// clock, scratch memory, caches, heaps and DMA channels.
#ifndef CONCLAVE_PLATFORM_EXEC_UNIT_SERVICES_H_
#define CONCLAVE_PLATFORM_EXEC_UNIT_SERVICES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "conclave/kernel_abi.h"
#include "platform/exec/kernel_heap.h"

namespace conclave {

// Each compute unit has one. The thread that acts for the compute unit uses it.
class UnitServices {
 public:
  // The sizes of one core of TI's K2H.
  static constexpr uint64_t kL1dBytes = 32 << 10, kL2Bytes = 1 << 20;
  static constexpr uint64_t kL2CacheBytes = 128 << 10;  // to begin with

  // How kernels reach the services; `number` is the compute unit's.
  abi::UnitAccess access(uint32_t number);
  // For threads of a kernel's C code that are on no compute unit. It gives no memory, UINT32_MAX
  // for the numbers, and everything that all compute units have in common.
  static const abi::UnitAccess& without_unit();

  // Heaps in the unit's local memory end: the memory will be used for something else.
  void forget_local_heap() { local_heap_ = local_heap_end_ = 0; }
  // Heaps of kernels in [memory, memory + bytes) end: a buffer is released.
  static void forget_heaps(const void* memory, size_t bytes);

 private:
  // Memory that is partly a cache, which is a setting without effect, and partly for kernels to
  // use.
  struct Level {
    uint64_t bytes, cache;
    std::unique_ptr<std::byte[]> memory;

    uint64_t start();
    bool set_cache(uint64_t wanted);
  };

  static uint64_t call(void* self, abi::DeviceCall call, uint64_t a, uint64_t b, uint64_t c);
  uint64_t answer(abi::DeviceCall call, uint64_t a, uint64_t b, uint64_t c);
  uint64_t answer_heap(abi::DeviceCall call, uint64_t heap, uint64_t b, uint64_t c);
  uint64_t answer_dma(abi::DeviceCall call, uint64_t a, uint64_t b, uint64_t c);
  uint64_t allocate_locally(uint64_t bytes);
  Level* level(uint64_t number);

  bool has_unit_ = true;
  std::array<Level, 2> levels_{
      {{kL1dBytes, kL1dBytes, nullptr}, {kL2Bytes, kL2CacheBytes, nullptr}}};
  uint64_t local_heap_ = 0, local_heap_end_ = 0;  // what is left of it
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_UNIT_SERVICES_H_
