// SPDX-License-Identifier: Apache-2.0
// Builds a kernel with different options, runs all builds on the same input and compares what they
// have written, byte by byte.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_DIFFERENTIAL_RUN_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_DIFFERENTIAL_RUN_H_

#include <optional>
#include <string>
#include <vector>

#include "test/fuzz/kernels/kernel.h"

namespace conclave::fuzz {

struct Failure {
  enum class Kind : uint8_t { kBuild, kDifference, kCrash, kTimeout } kind;
  std::string options;  // of the build that differs from the reference
  std::string text;     // in words
};

// What all others are compared with: the build without optimisation.
extern const char* const kReferenceOptions;

// The options that build code for work-groups of exactly the local size of `launch`; empty if it
// has smaller groups too.
std::string specializing_options(const Launch& launch);

// Runs in a separate process, which may crash or hang. So may the compile server, of which there is
// one per process. Specialised code runs the launches that it is for. `seed` determines the input.
std::optional<Failure> run_all(const Kernel& kernel, const std::vector<std::string>& options,
                               uint32_t seed);

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_DIFFERENTIAL_RUN_H_
