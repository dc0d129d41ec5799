// SPDX-License-Identifier: Apache-2.0
#include "sha256_reference.h"

#include <bit>
#include <cmath>

namespace bench {
namespace {

struct Constants {
  uint32_t start[8];  // of the square roots of the first primes, the first 32 bits behind the point
  uint32_t round[64];  // of the cube roots
};

Constants constants() {
  const auto fraction = [](long double root) {
    return static_cast<uint32_t>((root - std::floor(root)) * 0x1p32L);
  };
  const auto is_prime = [](int number) {
    for (int divisor = 2; divisor * divisor <= number; ++divisor)
      if (number % divisor == 0) return false;
    return true;
  };
  Constants result{};
  for (int number = 2, found = 0; found < 64; ++number) {
    if (!is_prime(number)) continue;
    if (found < 8) result.start[found] = fraction(std::sqrt(static_cast<long double>(number)));
    result.round[found++] = fraction(std::cbrt(static_cast<long double>(number)));
  }
  return result;
}

}  // namespace

std::array<uint32_t, 8> reference_sha256(const uint32_t* block) {
  using std::rotr;
  static const Constants c = constants();
  uint32_t w[64];
  for (int t = 0; t < 64; ++t)
    w[t] = t < 16 ? block[t]
                  : (rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10)) + w[t - 7] +
                        (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3)) + w[t - 16];
  std::array<uint32_t, 8> s;
  for (size_t k = 0; k < 8; ++k) s[k] = c.start[k];
  for (int t = 0; t < 64; ++t) {
    const uint32_t t1 = s[7] + (rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25)) +
                        ((s[4] & s[5]) ^ (~s[4] & s[6])) + c.round[t] + w[t];
    const uint32_t t2 = (rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (size_t k = 0; k < 8; ++k) s[k] += c.start[k];
  return s;
}

}  // namespace bench
