/* SPDX-License-Identifier: Apache-2.0 */
void vadd(const float* a, const float* b, float* sum, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
}
