// SPDX-License-Identifier: Apache-2.0
// Values of parameters of graphs, for users who look at a graph that another user drives. They are
// copied from the driver's segment into theirs when one of their processes asks
// (platform/share/fetched_value.h). Both users' tables must agree on where the parameter lies
// (platform/share/graph_part.h).
#ifndef CONCLAVE_MONITOR_GRAPH_VALUES_H_
#define CONCLAVE_MONITOR_GRAPH_VALUES_H_

#include <array>
#include <cstddef>
#include <vector>

#include "monitor/tenant.h"
#include "platform/share/graph_part.h"
#include "platform/share/open_modes.h"

namespace conclave::monitor {

class GraphValues {
 public:
  using Graphs = share::OpenModes::Set;

  // The user drives these graphs from now on. The values of a graph that nobody drives any more are
  // those of its last driver.
  void add_drivers(Tenant& tenant, const Graphs& graphs);
  // Tenants must be removed before they end.
  void remove(Tenant& tenant);
  // Brings the user the requested values of the graphs that they may look at, up to a number of
  // bytes. The rest stays requested.
  void bring(Tenant& viewer, const Graphs& graphs);

 private:
  bool copy(Tenant& viewer, size_t number, const Graphs& graphs, size_t& budget);

  std::array<Tenant*, share::kMostGraphs> drivers_{};
  std::vector<std::byte> value_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_GRAPH_VALUES_H_
