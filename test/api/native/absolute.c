// SPDX-License-Identifier: Apache-2.0
// Compiled for one address: no program can be linked with it.
int numbers[10];

int nowhere(int i) {
  return numbers[i & 7];
}
