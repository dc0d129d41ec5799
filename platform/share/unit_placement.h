// SPDX-License-Identifier: Apache-2.0
// Where this process's compute units are: on which CPU, and under which number they are shared.
#ifndef CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_
#define CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_

#include <cstdint>
#include <vector>

namespace conclave::share {

struct UnitPlacement {
  int cpu;          // the CPU that the unit's worker is pinned to; -1: none
  uint32_t shared;  // its number in the segment
};

// The placement of `count` compute units. If there are no more compute units than CPUs, unit i
// belongs to the i-th CPU that this process may run on, and the CPU is its shared number. So
// processes with different CPU masks (MPI ranks that are bound to cores, say) meet only where they
// use the same CPU. If there are more, or if a control group grants less than all CPUs of the mask,
// the system places the workers, and unit i is shared with everybody else's unit i.
std::vector<UnitPlacement> place_units(uint32_t count);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_
