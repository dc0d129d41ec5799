/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel calls: C, compiled by any compiler, with C's library. */
#include <math.h>
#include <stdlib.h>

static int by_size(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

/* Sorts n numbers and returns how far from zero they are on average. */
float sort_numbers(float* numbers, int n) {
  double sum = 0;
  qsort(numbers, (size_t)n, sizeof *numbers, by_size);
  for (int i = 0; i < n; ++i) sum += fabs(numbers[i]);
  return (float)(sum / n);
}
