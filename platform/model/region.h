// SPDX-License-Identifier: Apache-2.0
// A box of positions: the part of a memory object that a command works on.
#ifndef CONCLAVE_PLATFORM_MODEL_REGION_H_
#define CONCLAVE_PLATFORM_MODEL_REGION_H_

#include <array>
#include <cstddef>

namespace conclave {

struct Region {
  std::array<size_t, 3> origin;
  std::array<size_t, 3> extent;

  bool overlaps(const Region& other) const {
    for (size_t d = 0; d < 3; ++d)
      if (origin[d] >= other.origin[d] + other.extent[d] ||
          other.origin[d] >= origin[d] + extent[d])
        return false;
    return true;
  }
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_REGION_H_
