// SPDX-License-Identifier: Apache-2.0
// What the processes do with which graphs and streams are measured.
#ifndef CONCLAVE_TEST_BENCH_SHARE_GRAPH_ROLES_H_
#define CONCLAVE_TEST_BENCH_SHARE_GRAPH_ROLES_H_

#include "test/common/worker_process.h"

namespace bench {

// COUNT: tells the ns of an update and a read of a parameter of 64 bytes, of an iteration of a
// graph that does nothing, and of run() and wait() for a single one.
void graph_calls(const conclave::test::Arguments& arguments);

// PACKETS: for each line, writes or reads so many of 4 KiB; the reader tells the ns that took.
void stream_source(const conclave::test::Arguments& arguments);
void stream_sink(const conclave::test::Arguments& arguments);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SHARE_GRAPH_ROLES_H_
