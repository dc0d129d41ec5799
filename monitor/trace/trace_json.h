// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_TRACE_TRACE_JSON_H_
#define CONCLAVE_MONITOR_TRACE_TRACE_JSON_H_

#include <cstdio>

#include "monitor/trace/timeline.h"

namespace conclave::monitor {

// Writes the timeline in the JSON format of Chrome's tracing, which Perfetto reads. Times are
// CLOCK_MONOTONIC, in microseconds with three decimals.
void write_trace_json(const Timeline& timeline, FILE* file);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TRACE_TRACE_JSON_H_
