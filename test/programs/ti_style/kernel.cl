// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * B + beta * C, all in columns; each work-item has every n-th column of C. As in TI's
// programs, the kernel gets local memory and a buffer on the chip as scratch memory.
kernel void columns(int M, int N, int K, float alpha, global const float* a, global const float* b,
                    float beta, global float* c, local float* column, global float* msmc) {
  global float* sums = msmc + __core_num() * M;
  for (int j = get_global_id(0); j < N; j += get_global_size(0)) {
    for (int k = 0; k < K; ++k) column[k] = b[j * K + k];
    for (int i = 0; i < M; ++i) sums[i] = beta * c[j * M + i];
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < M; ++i) sums[i] += alpha * a[k * M + i] * column[k];
    for (int i = 0; i < M; ++i) c[j * M + i] = sums[i];
  }
}
