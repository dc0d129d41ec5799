// SPDX-License-Identifier: Apache-2.0
// Makes a failing kernel smaller.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_REDUCE_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_REDUCE_H_

#include "test/fuzz/kernels/differential_run.h"

namespace conclave::fuzz {

// Leaves out statements, first many at a time and then one by one, as long as the kernel fails in
// the same way; ends after `seconds`. `failure` becomes that of the kernel returned.
Kernel reduce(uint32_t seed, Failure& failure, unsigned seconds);

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_REDUCE_H_
