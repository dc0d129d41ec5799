// SPDX-License-Identifier: Apache-2.0
// Where this process's compute units are: on which CPU, and under which number they are shared.
#ifndef CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_
#define CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_

#include <cstdint>
#include <vector>

namespace conclave::share {

struct UnitPlacement {
  int cpu;          // that the unit's worker is pinned to; -1: none
  uint32_t shared;  // its number in the segment
};

// The placement of `count` compute units. Where there are no more units than CPUs, unit i belongs
// to the i-th CPU that this process may run on, and processes with different CPU masks (MPI ranks
// that are bound to cores, say) meet only where they use the same CPU: the CPU is the shared unit's
// number. Where there are more, or a control group grants less than all CPUs of the mask, workers
// go where the system sends them, and unit i is shared with everybody else's unit i.
std::vector<UnitPlacement> place_units(uint32_t count);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_UNIT_PLACEMENT_H_
