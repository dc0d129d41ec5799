// SPDX-License-Identifier: Apache-2.0
// Refuses memory, mappings and threads. This program has its own malloc(), mmap() and
// pthread_create(), which all libraries in it use, and which fail when a test has asked for it.
#ifndef CONCLAVE_TEST_FAULT_SHORTAGE_H_
#define CONCLAVE_TEST_FAULT_SHORTAGE_H_

#include <cstdint>

namespace conclave::test {

class Shortage {
 public:
  enum class Kind { kMemory, kMapping, kThread };

  // From now on request number `first` (counted from 1) of this kind and the `count` - 1 after it
  // are refused. Only those of OpenCL count: of threads other than the first, and of the first one
  // within an InOpenCl.
  static void begin(Kind kind, uint64_t first, uint64_t count);
  // All is well again. Returns how many requests there were.
  static uint64_t end();

  // Blocks of memory that have been allocated and not freed, by any thread.
  static int64_t live_blocks();

  // While it lives, the calling thread is in a call of OpenCL.
  class InOpenCl {
   public:
    InOpenCl();
    ~InOpenCl();
  };
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_FAULT_SHORTAGE_H_
