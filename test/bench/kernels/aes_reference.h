// SPDX-License-Identifier: Apache-2.0
// AES-128 from the standard's definitions (FIPS 197), and the tables that kernels use. Words have
// the byte of row 0 first, at the top.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_AES_REFERENCE_H_
#define CONCLAVE_TEST_BENCH_KERNELS_AES_REFERENCE_H_

#include <array>
#include <cstdint>

#include "limits/limits.h"

namespace bench {

using AesRoundKeys = std::array<uint32_t, 44>;

// The standard's example.
struct AesExample {
  uint32_t key[4], plain[4], cipher[4];
};
inline constexpr AesExample kAesExample = {{0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f},
                                           {0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff},
                                           {0x69c4e0d8, 0x6a7b0430, 0xd8cdb780, 0x70b4c55a}};

limits::AesTables aes_tables();
AesRoundKeys aes_round_keys(const uint32_t* key);

// Byte by byte, without tables but for the S-box.
std::array<uint32_t, 4> reference_aes(const uint32_t* plain, const AesRoundKeys& keys);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_KERNELS_AES_REFERENCE_H_
