// SPDX-License-Identifier: Apache-2.0
#include "aes_reference.h"

#include <algorithm>
#include <bit>

namespace bench {
namespace {

// In the field of 256 elements.
uint8_t times(uint8_t a, uint8_t b) {
  int product = 0;
  for (int x = a; b != 0; b >>= 1, x = (x << 1) ^ ((x & 0x80) != 0 ? 0x11b : 0))
    if ((b & 1) != 0) product ^= x;
  return static_cast<uint8_t>(product);
}

uint32_t word(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

std::array<uint8_t, 256> make_box() {
  std::array<uint8_t, 256> box;
  for (int x = 0; x < 256; ++x) {
    uint8_t inverse = 0;
    for (int y = 1; y < 256; ++y)
      if (times(static_cast<uint8_t>(x), static_cast<uint8_t>(y)) == 1)
        inverse = static_cast<uint8_t>(y);
    box[x] = static_cast<uint8_t>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                  std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
  }
  return box;
}

const std::array<uint8_t, 256>& box() {
  static const std::array<uint8_t, 256> box = make_box();
  return box;
}

using State = std::array<uint8_t, 16>;  // column by column

void add_key(State& state, const uint32_t* key) {
  for (size_t i = 0; i < 16; ++i) state[i] ^= static_cast<uint8_t>(key[i / 4] >> (24 - i % 4 * 8));
}

State shifted_rows(const State& state) {
  State result;
  for (size_t i = 0; i < 16; ++i) result[i] = state[(i + i % 4 * 4) % 16];
  return result;
}

State mixed_columns(const State& state) {
  State result;
  for (size_t i = 0; i < 16; ++i) {
    const auto row = [&](size_t k) { return state[i / 4 * 4 + (i + k) % 4]; };
    result[i] = static_cast<uint8_t>(times(row(0), 2) ^ times(row(1), 3) ^ row(2) ^ row(3));
  }
  return result;
}

}  // namespace

limits::AesTables aes_tables() {
  limits::AesTables tables{};
  std::copy(box().begin(), box().end(), tables.box);
  for (size_t x = 0; x < 256; ++x) {
    const uint8_t s = box()[x];
    const uint8_t column[] = {times(s, 2), s, s, times(s, 3)};
    for (int row = 0; row < 4; ++row) tables.t[row][x] = std::rotr(word(column), 8 * row);
  }
  return tables;
}

AesRoundKeys aes_round_keys(const uint32_t* key) {
  AesRoundKeys keys{};
  uint8_t round = 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i < 4) {
      keys[i] = key[i];
      continue;
    }
    uint32_t last = keys[i - 1];
    if (i % 4 == 0) {
      last = std::rotl(last, 8);
      const uint8_t bytes[] = {box()[last >> 24], box()[last >> 16 & 255], box()[last >> 8 & 255],
                               box()[last & 255]};
      last = word(bytes) ^ uint32_t { round } << 24;
      round = times(round, 2);
    }
    keys[i] = keys[i - 4] ^ last;
  }
  return keys;
}

std::array<uint32_t, 4> reference_aes(const uint32_t* plain, const AesRoundKeys& keys) {
  State state{};
  add_key(state, plain);  // 0 xor the words: the state is the block
  add_key(state, keys.data());
  for (size_t round = 1; round <= 10; ++round) {
    for (uint8_t& byte : state) byte = box()[byte];
    state = shifted_rows(state);
    if (round < 10) state = mixed_columns(state);
    add_key(state, &keys[4 * round]);
  }
  return {word(&state[0]), word(&state[4]), word(&state[8]), word(&state[12])};
}

}  // namespace bench
