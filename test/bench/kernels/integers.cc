// SPDX-License-Identifier: Apache-2.0
// Kernels that work on bits and whole numbers.
#include <bit>

#include "aes.cl.h"
#include "aes_reference.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "popcount_nearest.cl.h"
#include "sha256.cl.h"
#include "sha256_reference.h"
#include "xorshift.cl.h"

namespace bench {
namespace {

Problem sha256() {
  const size_t count = sized(128 << 10, 1 << 10);
  const Array<uint32_t> blocks = [=] {
    Values<uint32_t> values = random_integers<uint32_t>(16 * count).values();
    std::copy(std::begin(kShaExample.block), std::end(kShaExample.block), values.begin());
    return Array<uint32_t>(std::move(values));
  }();
  const Array<uint32_t> hashes(8 * count);
  return {kernel(sha256_source, "sha256", blocks, hashes),
          cl::NDRange(count),
          cl::NDRange(64),
          static_cast<double>(count),
          [=] { hashes.fetch(); },
          [=] {
            for (size_t k = 0; k < 8; ++k)
              if (hashes[k] != kShaExample.hash[k]) wrong("the standard's example is wrong");
            compare(hashes, {0, 97},
                    [=](size_t i) { return reference_sha256(&blocks[i / 8 * 16])[i % 8]; });
          },
          [=] { limits::sha256(blocks.data(), hashes.data(), count); }};
}

Problem aes() {
  const size_t count = sized(512 << 10, 1 << 12);
  const Array<uint32_t> plain = [=] {
    Values<uint32_t> values = random_integers<uint32_t>(4 * count).values();
    std::copy(std::begin(kAesExample.plain), std::end(kAesExample.plain), values.begin());
    return Array<uint32_t>(std::move(values));
  }();
  const Array<uint32_t> cipher(4 * count);
  const auto tables = std::make_shared<limits::AesTables>(aes_tables());
  const auto keys = aes_round_keys(kAesExample.key);
  const Array<uint32_t> round_keys(Values<uint32_t>(keys.begin(), keys.end()));
  std::vector<Array<uint32_t>> t;
  for (const auto& values : tables->t)
    t.emplace_back(Values<uint32_t>(std::begin(values), std::end(values)));
  const Array<uint8_t> box(Values<uint8_t>(std::begin(tables->box), std::end(tables->box)));
  return {kernel(aes_source, "aes", plain, cipher, round_keys, t[0], t[1], t[2], t[3], box),
          cl::NDRange(count),
          cl::NDRange(128),
          static_cast<double>(count),
          [cipher, t, box] { cipher.fetch(); },  // keeps the tables, which a kernel does not
          [=] {
            for (size_t k = 0; k < 4; ++k)
              if (cipher[k] != kAesExample.cipher[k]) wrong("the standard's example is wrong");
            compare(cipher, {0, 97},
                    [=](size_t i) { return reference_aes(&plain[i / 4 * 4], keys)[i % 4]; });
          },
          [=] { limits::aes(plain.data(), cipher.data(), round_keys.data(), *tables, count); }};
}

Problem xorshift() {
  constexpr int kNumbers = 512;
  const size_t count = sized(256 << 10, 1 << 12);
  const Array<uint32_t> seeds = [=] {
    Values<uint32_t> values = random_integers<uint32_t>(count).values();
    for (uint32_t& seed : values) seed |= 1;  // 0 would stay 0
    return Array<uint32_t>(std::move(values));
  }();
  const Array<float> means(count);
  const auto expected = [=](size_t i) {
    uint32_t state = seeds[i];
    double sum = 0;
    for (int k = 0; k < kNumbers; ++k) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      sum += (state >> 8) / 16777216.0;
    }
    return sum / kNumbers;
  };
  return {kernel(xorshift_source, "xorshift", seeds, means, kNumbers),
          cl::NDRange(count),
          cl::NDRange(256),
          static_cast<double>(count) * kNumbers,
          [=] { means.fetch(); },
          [=] { compare(means, {1e-5, 7}, expected); },
          [=] { limits::xorshift(seeds.data(), means.data(), kNumbers, count); }};
}

Problem popcount_nearest() {
  constexpr int kPatterns = 256;
  const size_t count = sized(64 << 10, 1 << 10);
  const Array<uint64_t> mine = random_integers<uint64_t>(4 * count),
                        patterns = random_integers<uint64_t>(4 * kPatterns, 2);
  const Array<int32_t> nearest(count);
  const auto expected = [=](size_t i) {
    int best = 0, best_distance = 257;
    for (int k = 0; k < kPatterns; ++k) {
      int distance = 0;
      for (size_t word = 0; word < 4; ++word)
        distance += std::popcount(mine[4 * i + word] ^ patterns[4 * k + word]);
      if (distance < best_distance) {
        best_distance = distance;
        best = k;
      }
    }
    return best;
  };
  return {kernel(popcount_nearest_source, "popcount_nearest", mine, patterns, kPatterns, nearest),
          cl::NDRange(count),
          cl::NDRange(64),
          static_cast<double>(count) * kPatterns,
          [=] { nearest.fetch(); },
          [=] { compare(nearest, {0, 7}, expected); },
          [=] {
            limits::popcount_nearest(mine.data(), patterns.data(), kPatterns, nearest.data(),
                                     count);
          }};
}

}  // namespace

KernelClass integer_kernels() {
  return {"integers and cryptography",
          {{"sha256", "M items/s", sha256},
           {"aes", "M items/s", aes},
           {"xorshift", "M numbers/s", xorshift},
           {"popcount_nearest", "M patterns/s", popcount_nearest}}};
}

}  // namespace bench
