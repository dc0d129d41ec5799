// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace bench::limits {
namespace {
unsigned thread_count = 1;
}

void set_threads(unsigned count) {
  thread_count = std::max(count, 1u);
}

unsigned threads() {
  return thread_count;
}

void parallel(size_t count, size_t grain, const std::function<void(size_t, size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto take_parts = [&] {
    for (size_t begin; (begin = next.fetch_add(grain)) < count;)
      work(begin, std::min(begin + grain, count));
  };
  // To start a thread takes some hundredths of a millisecond, what is measured takes milliseconds.
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < thread_count; ++i) helpers.emplace_back(take_parts);
  take_parts();
}

const char* target_description() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "the least that this kind of CPU has; set CONCLAVE_BENCH_NATIVE to measure";
#endif
}

}  // namespace bench::limits
