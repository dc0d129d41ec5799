// SPDX-License-Identifier: Apache-2.0
// C functions with OpenMP that kernels of the tests call.
#define _GNU_SOURCE
#include <dsp_c.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

// The number of threads, and for each the CPU that it is bound to, -1 if it may use several.
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
void fault_on_thread(int who) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) *(volatile int*)8 = 1;
#pragma omp barrier
  }
}

void abort_in_region(int who) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) abort();
#pragma omp barrier
  }
}

// For each thread: the number of its compute unit, and how often the unit's scratch memory, its
// local heap or a block of the shared heap is not the thread's alone.
void look_at_units(unsigned* core, unsigned* wrong, char* local, int local_bytes) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    core[thread] = __core_num();
    unsigned* scratch = __scratch_l2_start();
    wrong[thread] = __malloc_l2(4) != NULL;  // of another kernel
    __heap_init_l2(local + thread * local_bytes, local_bytes);
    unsigned* mine = __malloc_l2(4);
    unsigned* block = __malloc_ddr(400);
    *scratch = *mine = (unsigned)thread;
    for (int i = 0; i < 100; ++i) block[i] = (unsigned)thread;
#pragma omp barrier
    wrong[thread] += (char*)mine < local + thread * local_bytes;
    wrong[thread] += *scratch != (unsigned)thread || *mine != (unsigned)thread;
    for (int i = 0; i < 100; ++i) wrong[thread] += block[i] != (unsigned)thread;
    __free_ddr(block);
  }
}

// The same numbers in a region of so many threads.
void look_at_cores(unsigned* core, int threads) {
#pragma omp parallel num_threads(threads)
  core[omp_get_thread_num()] = __core_num();
}
