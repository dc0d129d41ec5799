// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_TRACE_TRACE_SVG_H_
#define CONCLAVE_MONITOR_TRACE_TRACE_SVG_H_

#include <cstdio>

#include "monitor/trace/timeline.h"

namespace conclave::monitor {

// Draws the timeline: a row for each compute unit, in the colours of the processes that ran there;
// a row for each process, which shows when it waited; a legend. The picture's size does not depend
// on how much was recorded.
void write_trace_svg(const Timeline& timeline, FILE* file);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TRACE_TRACE_SVG_H_
