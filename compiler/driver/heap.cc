// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace conclave::compiler {
namespace {

constexpr uintptr_t kGrownAtOnce = 256 << 10;  // bytes; what is free at the start is less
constexpr int kGrowth = 16 << 20;              // bytes; most builds need no more
constexpr int kNeverShrink = 1 << 30;
constexpr int kMostInHeap = 32 << 20;  // glibc's limit; larger blocks come from mmap
constexpr uintptr_t kHugePage = 2 << 20;

}  // namespace

void prepare_heap() {
  mallopt(M_TOP_PAD, kGrowth);
  mallopt(M_TRIM_THRESHOLD, kNeverShrink);
  mallopt(M_MMAP_THRESHOLD, kMostInHeap);
  const auto now = reinterpret_cast<uintptr_t>(sbrk(0));
  const uintptr_t first = (now + kGrownAtOnce + kHugePage - 1) / kHugePage * kHugePage;
  // Never freed: what comes next is in the first huge page. Volatile: it may not be left out.
  void* volatile skipped = std::malloc(first - now);
  (void)skipped;
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0)) / kHugePage * kHugePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace conclave::compiler
