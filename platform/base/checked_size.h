// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes that the host gives. A sum or product that does not fit is larger than
// everything, and so is everything computed from it. The check at the end finds it.
#ifndef CONCLAVE_PLATFORM_BASE_CHECKED_SIZE_H_
#define CONCLAVE_PLATFORM_BASE_CHECKED_SIZE_H_

#include <cstddef>
#include <cstdint>

#include "platform/base/error.h"

namespace conclave {

class CheckedSize {
 public:
  constexpr CheckedSize(size_t value = 0) : value_(value) {}

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    CheckedSize sum;
    sum.wrapped_ =
        __builtin_add_overflow(a.value_, b.value_, &sum.value_) | a.wrapped_ | b.wrapped_;
    return sum;
  }
  // 0 times a value that does not fit does not fit either: that value was no size.
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    CheckedSize product;
    product.wrapped_ =
        __builtin_mul_overflow(a.value_, b.value_, &product.value_) | a.wrapped_ | b.wrapped_;
    return product;
  }
  // The smallest multiple of `alignment`, which is not 0, that is not below this.
  constexpr CheckedSize aligned(size_t alignment) const {
    const size_t beyond = value_ % alignment;
    return beyond == 0 ? *this : *this + (alignment - beyond);
  }

  constexpr bool fits() const { return !wrapped_; }
  constexpr bool at_most(size_t limit) const { return !wrapped_ && value_ <= limit; }
  // SIZE_MAX if it does not fit.
  constexpr size_t saturated() const { return wrapped_ ? SIZE_MAX : value_; }
  // Throws Error{code, text} if it does not fit.
  size_t value_or(cl_int code, const char* text) const {
    require(!wrapped_, code, text);
    return value_;
  }

 private:
  size_t value_;
  bool wrapped_ = false;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CHECKED_SIZE_H_
