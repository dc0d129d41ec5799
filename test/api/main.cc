// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "child_process.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CONCLAVE_LEAKS_ARE_FOUND
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(CONCLAVE_LEAKS_ARE_FOUND)
// A forked child lacks the threads of its parent, and with their stacks the only pointers to what
// they had allocated: no leak of ours, but it looks like one.
extern "C" const char* __lsan_default_suppressions() {
  // libomp keeps some of what it allocated for its threads.
  return "leak:conclave::ComputeUnit::work\nleak:libomp.so\n";
}
#endif

int main(int argc, char** argv) {
  setenv(conclave::test::kMark, std::to_string(getpid()).c_str(), 1);
  if (int status = conclave::test::run_child_entry(argc, argv); status >= 0) return status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
