// SPDX-License-Identifier: Apache-2.0
// A random kernel, and what it is run with.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_KERNEL_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_KERNEL_H_

#include <set>
#include <string>
#include <vector>

#include "test/fuzz/kernels/types.h"
#include "test/unit/compiler/compiled_program.h"

namespace conclave::fuzz {

// A pointer argument. Its elements have no padding.
struct Buffer {
  std::string name;
  std::vector<Scalar> element;  // what one consists of, in order
  size_t length = 0;
};

struct Launch {
  test::Range range;
  int32_t m = 0;  // below 32
  int32_t n = 0;  // any
  int64_t q = 0;  // any
  float f = 0;    // a small integer
};

struct Kernel {
  std::string source;   // of a kernel "k" with all buffers, local memory, m, n, q and f
  std::string options;  // that every build needs
  std::vector<Buffer> buffers;
  uint64_t local_bytes = 0;
  std::vector<Launch> launches;
  unsigned statements = 0;  // their numbers are below
};

// The same for the same seed, but for the statements with numbers in `disabled`.
Kernel make_kernel(uint32_t seed, const std::set<unsigned>& disabled = {});

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_KERNEL_H_
