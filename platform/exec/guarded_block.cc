// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/guarded_block.h"

#include <sys/mman.h>

#include <limits>
#include <string>

#include "platform/base/align.h"
#include "platform/base/error.h"

namespace conclave {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kMost = std::numeric_limits<size_t>::max() - 4 * GuardedBlock::kGuardBytes;

}  // namespace

void GuardedBlock::grow(size_t bytes) {
  release();
  const size_t size = bytes > kMost ? 0 : align_up(bytes, kPageBytes);
  void* all = size == 0 ? MAP_FAILED
                        : mmap(nullptr, size + 2 * kGuardBytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all != MAP_FAILED) {
    auto* memory = static_cast<std::byte*>(all) + kGuardBytes;
    if (mprotect(memory, size, PROT_READ | PROT_WRITE) == 0) {
      memory_ = memory;
      size_ = size;
      return;
    }
    munmap(all, size + 2 * kGuardBytes);
  }
  throw Error(CL_OUT_OF_RESOURCES,
              "no memory for " + std::to_string(bytes) + " bytes of a compute unit's workspace");
}

void GuardedBlock::release() {
  if (memory_) munmap(memory_ - kGuardBytes, size_ + 2 * kGuardBytes);
  memory_ = nullptr;
  size_ = 0;
}

}  // namespace conclave
