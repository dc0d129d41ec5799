/* SPDX-License-Identifier: Apache-2.0 */
/* One thread makes tasks of a part each; all threads do them. */
enum { kPart = 1 << 14 };

void vadd(const float* a, const float* b, float* sum, int n) {
#pragma omp parallel
#pragma omp single
  for (int begin = 0; begin < n; begin += kPart) {
#pragma omp task firstprivate(begin)
    for (int i = begin; i < n && i < begin + kPart; ++i) sum[i] = a[i] + b[i];
  }
}
