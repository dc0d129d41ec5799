// SPDX-License-Identifier: Apache-2.0
// SHA-256's compression of one block, from the standard's definitions (FIPS 180-4).
#ifndef CONCLAVE_TEST_BENCH_KERNELS_SHA256_REFERENCE_H_
#define CONCLAVE_TEST_BENCH_KERNELS_SHA256_REFERENCE_H_

#include <array>
#include <cstdint>

namespace bench {

// "abc", with its padding a block, and its hash value.
struct ShaExample {
  uint32_t block[16];
  uint32_t hash[8];
};
inline constexpr ShaExample kShaExample = {
    {0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24},
    {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61,
     0xf20015ad}};

std::array<uint32_t, 8> reference_sha256(const uint32_t* block);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_KERNELS_SHA256_REFERENCE_H_
