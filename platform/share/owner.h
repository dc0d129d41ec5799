// SPDX-License-Identifier: Apache-2.0
// Who owns something in the shared segment: an entry of the process table and that entry's
// generation. So what a dead process left never belongs to the entry's next user.
#ifndef CONCLAVE_PLATFORM_SHARE_OWNER_H_
#define CONCLAVE_PLATFORM_SHARE_OWNER_H_

#include <cstdint>

namespace conclave::share {

class Owner {
 public:
  constexpr Owner() = default;
  constexpr Owner(uint32_t slot, uint16_t generation)
      : bits_((slot + 1) << 16 | uint32_t{generation}) {}
  static constexpr Owner from_bits(uint32_t bits) {
    Owner owner;
    owner.bits_ = bits;
    return owner;
  }

  constexpr uint32_t bits() const { return bits_; }
  constexpr explicit operator bool() const { return bits_ >> 16 != 0; }
  // Index into the process table. The segment may contain garbage: compare with the table's
  // capacity before use.
  constexpr uint32_t slot() const { return (bits_ >> 16) - 1; }
  constexpr uint16_t generation() const { return static_cast<uint16_t>(bits_); }
  constexpr bool operator==(const Owner&) const = default;

 private:
  uint32_t bits_ = 0;  // slot + 1, generation
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_OWNER_H_
