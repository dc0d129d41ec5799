// SPDX-License-Identifier: Apache-2.0
// The kernels of the xclbins X and Y.
#ifdef XCLBIN_X
kernel void vadd(global const int* a, global const int* b, global int* c, int n) {
  size_t i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
#else
kernel void vmul(global const int* a, global const int* b, global int* c, int n) {
  size_t i = get_global_id(0);
  if (i < n) c[i] = a[i] * b[i];
}
#endif
