// SPDX-License-Identifier: Apache-2.0
// C functions with OpenMP that kernels of the tests call.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

// How many threads there are, and of each the CPU that it is bound to, -1 where it may use several.
void describe_team(int* threads, int* cpu) {
  *threads = omp_get_max_threads();
#pragma omp parallel
  {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int only = -1;
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&set) == 1; ++i)
      if (CPU_ISSET(i, &set)) only = i;
    cpu[omp_get_thread_num()] = only;
  }
}

long sum(const int* data, int n) {
  long result = 0;
#pragma omp parallel for reduction(+ : result)
  for (int i = 0; i < n; ++i) result += data[i];
  return result;
}

// OpenMP 3.0's tasks.
static long tree(const int* data, int n) {
  if (n < 64) {
    long result = 0;
    for (int i = 0; i < n; ++i) result += data[i];
    return result;
  }
  long left, right;
#pragma omp task shared(left)
  left = tree(data, n / 2);
  right = tree(data + n / 2, n - n / 2);
#pragma omp taskwait
  return left + right;
}

long sum_with_tasks(const int* data, int n) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = tree(data, n);
  return result;
}

// Each thread has one of its own, from one region to the next.
static long part;
#pragma omp threadprivate(part)

long sum_of_parts(int n) {
  long result = 0;
#pragma omp parallel
  part = n;
#pragma omp parallel reduction(+ : result)
  result += part;
  return result;
}

// Thread `who` ends the kernel, in a parallel region.
void abort_in_region(int who) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) abort();
#pragma omp barrier
  }
}
