// SPDX-License-Identifier: Apache-2.0
#include "monitor/tenant_heaps.h"

#include <algorithm>
#include <string>

#include "platform/base/error.h"
#include "platform/base/log.h"

namespace conclave::monitor {

using share::Heap;

namespace {

// The size as the heaps would take it.
uint64_t rounded(uint64_t bytes, const Heap::Range& range) {
  return std::min(bytes, range.most) / Heap::kAlignment * Heap::kAlignment;
}

std::string in_words(const share::Registry::Recovered& recovered) {
  return std::to_string(recovered.blocks) + " blocks with " + std::to_string(recovered.bytes) +
         " bytes";
}

}  // namespace

void configure_heaps(const Tenant& tenant, const Heap::Sizes& sizes) {
  Heap heap(tenant.layout());
  bool same = true;
  std::string words;
  for (uint32_t i = 0; i < share::kHeapNames.size(); ++i) {
    const uint64_t bytes = rounded(sizes.bytes[i], Heap::kRanges[i]);
    same &= heap.size(static_cast<share::HeapId>(i)) == bytes;
    words +=
        std::string(i ? ", " : "") + share::kHeapNames[i] + " " + std::to_string(bytes) + " bytes";
  }
  if (same) return;
  try {
    if (heap.configure(sizes))
      log::info(tenant.name() + ": heaps created: " + words);
    else
      log::warn(tenant.name() +
                ": the heaps keep their sizes while there is something in them; SIGHUP after that "
                "makes them: " +
                words);
  } catch (const Error& error) {
    log::warn(tenant.name() + ": the heaps keep their sizes: " + error.text());
  }
}

void free_blocks(Tenant& tenant, const ProcessWatch::Dead& dead) {
  const share::Registry::Recovered recovered = tenant.registry().remove(dead.owner);
  if (recovered.blocks > 0)
    log::info("process " + std::to_string(dead.process.pid) + " died; freed " +
              in_words(recovered));
}

Heap::Sizes heap_sizes(const Config& config, const Quota& quota) {
  Heap::Sizes sizes = {{config.ddr_heap1_bytes, config.ddr_heap2_bytes, config.msmc_heap_bytes}};
  if (quota.heap_bytes)
    for (uint64_t& bytes : sizes.bytes) bytes = std::min(bytes, quota.heap_bytes);
  return sizes;
}

}  // namespace conclave::monitor
