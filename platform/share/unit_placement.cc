// SPDX-License-Identifier: Apache-2.0
#include "platform/share/unit_placement.h"

#include <sched.h>

#include "platform/base/host_cpus.h"
#include "platform/share/layout.h"

namespace conclave::share {

std::vector<UnitPlacement> place_units(uint32_t count) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);

  const bool pinned = count <= cpus.size() && host_cpus() >= cpus.size();
  std::vector<UnitPlacement> units;
  for (uint32_t i = 0; i < count; ++i) {
    if (pinned)
      units.push_back({cpus[i], static_cast<uint32_t>(cpus[i]) % kCuEntries});
    else
      units.push_back({-1, i % kCuEntries});
  }
  return units;
}

}  // namespace conclave::share
