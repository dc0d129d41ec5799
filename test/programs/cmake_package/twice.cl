// SPDX-License-Identifier: Apache-2.0
kernel void twice(global int* numbers) {
  numbers[get_global_id(0)] *= 2;
}
