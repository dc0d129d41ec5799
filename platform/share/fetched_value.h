// SPDX-License-Identifier: Apache-2.0
// Values of parameters of graphs that a process of another user drives. They lie in that user's
// segment. The daemon brings the last value of a parameter when somebody here wants to read it.
#ifndef CONCLAVE_PLATFORM_SHARE_FETCHED_VALUE_H_
#define CONCLAVE_PLATFORM_SHARE_FETCHED_VALUE_H_

#include <cstddef>

#include "platform/share/layout.h"

namespace conclave::share {

// Brings the value of a parameter here; it is number `part` of the xclbin's parts (graph_part.h).
// The local value stays if no other user drives the graph, or if the daemon does not answer. False
// if the value changes so quickly that it cannot be copied.
bool fetch_value(const Layout& layout, size_t part);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_FETCHED_VALUE_H_
