// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_ALIGN_H_
#define CONCLAVE_PLATFORM_BASE_ALIGN_H_

#include <cstddef>

namespace conclave {

// The smallest multiple of `alignment` (a power of two) that is not below `value`.
constexpr size_t align_up(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_ALIGN_H_
