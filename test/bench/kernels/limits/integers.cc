// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "limits.h"
#include "pack.h"
#include "parallel.h"

namespace bench::limits {
namespace {

constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr uint32_t kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

Uints rotated(Uints x, int count) {
  return (x >> count) | (x << (32 - count));
}

}  // namespace

// As many blocks as there are lanes at once. The processor's own instructions for SHA, where it has
// them, would be another method.
void sha256(const uint32_t* blocks, uint32_t* hashes, size_t count) {
  parallel(count, kLanes, [=](size_t begin, size_t) {
    Uints w[16], s[8];
    for (size_t t = 0; t < 16; ++t)
      for (size_t lane = 0; lane < kLanes; ++lane) w[t][lane] = blocks[(begin + lane) * 16 + t];
    for (size_t k = 0; k < 8; ++k) s[k] = Uints{} + kStart[k];
#pragma GCC unroll 64
    for (int t = 0; t < 64; ++t) {
      if (t >= 16) {
        const Uints w1 = w[(t + 1) % 16], w14 = w[(t + 14) % 16];
        w[t % 16] += (rotated(w1, 7) ^ rotated(w1, 18) ^ (w1 >> 3)) + w[(t + 9) % 16] +
                     (rotated(w14, 17) ^ rotated(w14, 19) ^ (w14 >> 10));
      }
      const Uints a = s[0], b = s[1], c = s[2], e = s[4], f = s[5], g = s[6];
      const Uints t1 = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                       (g ^ (e & (f ^ g))) + kRoundConstants[t] + w[t % 16];
      const Uints t2 =
          (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));
      s[7] = g;
      s[6] = f;
      s[5] = e;
      s[4] = s[3] + t1;
      s[3] = c;
      s[2] = b;
      s[1] = a;
      s[0] = t1 + t2;
    }
    for (size_t k = 0; k < 8; ++k) s[k] += kStart[k];
    for (size_t lane = 0; lane < kLanes; ++lane)
      for (size_t k = 0; k < 8; ++k) hashes[(begin + lane) * 8 + k] = s[k][lane];
  });
}

// Two blocks at once with the kernel's tables. The processor's own instructions for AES would be
// another method.
void aes(const uint32_t* plain, uint32_t* cipher, const uint32_t* round_keys,
         const AesTables& tables, size_t blocks) {
  constexpr size_t kBlocks = 2;
  const auto* t = tables.t;
  const uint8_t* box = tables.box;
  parallel(blocks, 4096, [=](size_t begin, size_t end) {
    for (size_t first = begin; first < end; first += kBlocks) {
      uint32_t s[kBlocks][4];
      for (size_t b = 0; b < kBlocks; ++b)
        for (size_t c = 0; c < 4; ++c) s[b][c] = plain[(first + b) * 4 + c] ^ round_keys[c];
      for (int round = 1; round < 10; ++round)
#pragma GCC unroll 2
        for (size_t b = 0; b < kBlocks; ++b) {
          uint32_t n[4];
#pragma GCC unroll 4
          for (size_t c = 0; c < 4; ++c)
            n[c] = t[0][s[b][c] >> 24] ^ t[1][(s[b][(c + 1) % 4] >> 16) & 255] ^
                   t[2][(s[b][(c + 2) % 4] >> 8) & 255] ^ t[3][s[b][(c + 3) % 4] & 255] ^
                   round_keys[4 * round + c];
          for (size_t c = 0; c < 4; ++c) s[b][c] = n[c];
        }
      for (size_t b = 0; b < kBlocks; ++b)
        for (size_t c = 0; c < 4; ++c)
          cipher[(first + b) * 4 + c] =
              (uint32_t{box[s[b][c] >> 24]} << 24 |
               uint32_t{box[(s[b][(c + 1) % 4] >> 16) & 255]} << 16 |
               uint32_t{box[(s[b][(c + 2) % 4] >> 8) & 255]} << 8 | box[s[b][(c + 3) % 4] & 255]) ^
              round_keys[40 + c];
    }
  });
}

// Four packs of generators at once hide the latency of the arithmetic.
void xorshift(const uint32_t* seeds, float* means, int numbers, size_t count) {
  constexpr size_t kPacks = 4;
  parallel(count, kPacks * kLanes, [=](size_t begin, size_t) {
    Uints state[kPacks];
    Floats sum[kPacks]{};
    for (size_t p = 0; p < kPacks; ++p) state[p] = load<Uints>(seeds + begin + p * kLanes);
    for (int k = 0; k < numbers; ++k)
#pragma GCC unroll 4
      for (size_t p = 0; p < kPacks; ++p) {
        state[p] ^= state[p] << 13;
        state[p] ^= state[p] >> 17;
        state[p] ^= state[p] << 5;
        sum[p] += to_floats((Ints)(state[p] >> 8)) * (1.0f / 16777216);
      }
    for (size_t p = 0; p < kPacks; ++p)
      store(means + begin + p * kLanes, sum[p] / static_cast<float>(numbers));
  });
}

namespace {

// How many bits are set in each lane of all four words.
inline Longs set_bits(Ulongs a, Ulongs b, Ulongs c, Ulongs d) {
#if defined(__AVX512VPOPCNTDQ__)
  const auto count = [](Ulongs x) { return _mm512_popcnt_epi64(reinterpret_cast<__m512i>(x)); };
  return reinterpret_cast<Longs>(count(a)) + reinterpret_cast<Longs>(count(b)) +
         reinterpret_cast<Longs>(count(c)) + reinterpret_cast<Longs>(count(d));
#elif defined(__AVX2__) && !defined(__AVX512F__)
  // Half a byte at a time from a table of 16, then the sum of the bytes.
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const auto bytes = [&](Ulongs pack) {
    const auto x = reinterpret_cast<__m256i>(pack);
    return _mm256_add_epi8(
        _mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
  };
  const __m256i sum =
      _mm256_add_epi8(_mm256_add_epi8(bytes(a), bytes(b)), _mm256_add_epi8(bytes(c), bytes(d)));
  return reinterpret_cast<Longs>(_mm256_sad_epu8(sum, _mm256_setzero_si256()));
#else
  Longs sum;
  for (size_t lane = 0; lane < kLongLanes; ++lane)
    sum[lane] = std::popcount(a[lane]) + std::popcount(b[lane]) + std::popcount(c[lane]) +
                std::popcount(d[lane]);
  return sum;
#endif
}

}  // namespace

// Two packs of items at once against one pattern after the other.
void popcount_nearest(const uint64_t* mine, const uint64_t* patterns, int pattern_count,
                      int32_t* nearest, size_t count) {
  constexpr size_t kPacks = 2;
  parallel(count, kPacks * kLongLanes, [=](size_t begin, size_t) {
    Ulongs own[kPacks][4];
    Longs best[kPacks]{}, least[kPacks];
    for (size_t p = 0; p < kPacks; ++p) {
      least[p] = Longs{} + 257;
      for (size_t lane = 0; lane < kLongLanes; ++lane)
        for (size_t word = 0; word < 4; ++word)
          own[p][word][lane] = mine[4 * (begin + p * kLongLanes + lane) + word];
    }
    for (int k = 0; k < pattern_count; ++k) {
      const uint64_t* other = patterns + 4 * k;
#pragma GCC unroll 2
      for (size_t p = 0; p < kPacks; ++p) {
        const Longs distance = set_bits(own[p][0] ^ other[0], own[p][1] ^ other[1],
                                        own[p][2] ^ other[2], own[p][3] ^ other[3]);
        const Longs closer = distance < least[p];
        least[p] = closer ? distance : least[p];
        best[p] = closer ? Longs{} + k : best[p];
      }
    }
    for (size_t p = 0; p < kPacks; ++p)
      for (size_t lane = 0; lane < kLongLanes; ++lane)
        nearest[begin + p * kLongLanes + lane] = static_cast<int32_t>(best[p][lane]);
  });
}

}  // namespace bench::limits
