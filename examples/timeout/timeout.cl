// SPDX-License-Identifier: Apache-2.0
// Ends when `go_on` is 0: never, if the host does not change it.
__kernel void wait_while(__global volatile int* go_on, __global int* out) {
  while (*go_on) {
  }
  out[get_global_id(0)] = 1;
}
