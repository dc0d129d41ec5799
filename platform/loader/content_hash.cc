// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/content_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace conclave {
namespace {

std::string hex_digits(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string digits;
  for (unsigned char byte : canonical.digest) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  return hex_digits(XXH3_128bits(bytes.data(), bytes.size()));
}

struct FieldHasher::State {
  XXH3_state_t xxh;
};

FieldHasher::FieldHasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}

FieldHasher::~FieldHasher() = default;

void FieldHasher::add(std::string_view field) {
  add(uint64_t{field.size()});
  XXH3_128bits_update(&state_->xxh, field.data(), field.size());
}

void FieldHasher::add(uint64_t field) {
  XXH3_128bits_update(&state_->xxh, &field, sizeof field);
}

std::string FieldHasher::result() const {
  return hex_digits(XXH3_128bits_digest(&state_->xxh));
}

}  // namespace conclave
