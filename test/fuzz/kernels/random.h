// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: the standard fixes the engine, not what its
// distributions make of it.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_RANDOM_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_RANDOM_H_

#include <cstdint>
#include <random>
#include <vector>

namespace conclave::fuzz {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t bits() { return static_cast<uint32_t>(engine_()); }
  uint32_t below(size_t limit) { return bits() % static_cast<uint32_t>(limit); }
  uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_RANDOM_H_
