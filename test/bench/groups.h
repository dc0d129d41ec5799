// SPDX-License-Identifier: Apache-2.0
// The groups of benchmarks that conclave_bench.cc puts together.
#ifndef CONCLAVE_TEST_BENCH_GROUPS_H_
#define CONCLAVE_TEST_BENCH_GROUPS_H_

namespace bench {

void add_process_benchmarks();      // start-up, builds, size of the host process
void add_launch_benchmarks();       // latency and rate of small commands
void add_host_thread_benchmarks();  // launches beside threads of the host
void add_memory_benchmarks();       // bandwidth
void add_product_benchmarks();      // sgemm and dgemm against OpenBLAS

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_GROUPS_H_
