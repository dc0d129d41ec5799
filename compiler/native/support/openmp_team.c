// SPDX-License-Identifier: Apache-2.0
// Linked into programs that use OpenMP, so that the platform need not be linked with its run-time
// library: the platform finds these functions in the program and calls them on the thread that runs
// the program's kernels.

void omp_set_dynamic(int is_dynamic);
void omp_set_num_threads(int threads);
int omp_get_thread_num(void);
int omp_in_parallel(void);
void kmp_set_blocktime(int milliseconds);

#define EXPORTED __attribute__((visibility("default")))

// Parallel regions of the calling thread have so many threads from now on, which sleep as soon as
// a region has ended, if `may_spin` is zero: their compute units are others' by then.
EXPORTED void conclave_openmp_set_threads(int threads, int may_spin) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  if (!may_spin) kmp_set_blocktime(0);
}

// Calls `enter` on each thread of the team.
EXPORTED void conclave_openmp_for_each(void (*enter)(void* argument, int thread), void* argument) {
#pragma omp parallel
  enter(argument, omp_get_thread_num());
}

EXPORTED int conclave_openmp_in_parallel(void) {
  return omp_in_parallel();
}
