// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PARALLEL_H_
#define CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace bench::limits {

// How many threads the hand-written versions use: as many as the device has compute units.
void set_threads(unsigned count);
unsigned threads();

// Calls work(begin, end) on all threads for parts of 0 .. count that have `grain` elements, the
// last one perhaps fewer.
void parallel(size_t count, size_t grain, const std::function<void(size_t, size_t)>& work);

// What instructions the hand-written versions have been compiled for.
const char* target_description();

}  // namespace bench::limits

#endif  // CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PARALLEL_H_
