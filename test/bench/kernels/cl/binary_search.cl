// SPDX-License-Identifier: Apache-2.0
// Finds the first element of the sorted table that is not less than the key.
__kernel void binary_search(__global const int* table, const int count, __global const int* keys,
                            __global int* places) {
  const size_t i = get_global_id(0);
  const int key = keys[i];
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  places[i] = low;
}
