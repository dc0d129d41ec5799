// SPDX-License-Identifier: Apache-2.0
// The kernels of the xclbins A and B of xrt_api_test.
kernel void vadd(global const int* a, global const int* b, global int* c, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = a[i] + b[i];
}

#ifdef XCLBIN_A
kernel void mixed(global long* out, char small, long large, float real, float4 four,
                  local int* scratch) {
  scratch[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = small + large + (long)(real * 2) + (long)four.w +
                          scratch[get_local_size(0) - 1 - get_local_id(0)];
}

// Runs until the host says so.
kernel void spin(global volatile int* stop) {
  while (!*stop);
}

kernel void trap(global int* out) {
  if (out) __builtin_trap();
}

kernel void look(read_only image2d_t image, global int* out) {
  out[0] = get_image_width(image);
}
#endif

kernel void source(write_only pipe int out, int n) {
  for (int i = 0; i < n; ++i) write_pipe(out, &i);
}

kernel void add(read_only pipe int in, write_only pipe int out, int value) {
  int item;
  if (read_pipe(in, &item) != 0) return;
  item += value;
  write_pipe(out, &item);
}

kernel void sink(read_only pipe int in, global int* to, int n) {
  for (int i = 0; i < n; ++i) read_pipe(in, to + i);
}
