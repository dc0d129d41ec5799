// SPDX-License-Identifier: Apache-2.0
// How many steps of "halve if even, else three times plus one" lead to 1.
__kernel void collatz(__global int* steps) {
  const size_t i = get_global_id(0);
  ulong n = i + 1;
  int count = 0;
  while (n != 1) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    ++count;
  }
  steps[i] = count;
}
