// SPDX-License-Identifier: Apache-2.0
// Control flow that differs from work-item to work-item, on types of 8 and 16 bits.
kernel void narrow_types(global const uchar* a, global const char* b, global const short* c,
                         global uchar* out) {
  size_t i = get_global_id(0);
  uchar x = a[i];
  char y = b[i];
  short z = c[i];
  for (int step = 0; step < (x & 15); ++step) {
    if (x % 5 > y) {
      x = x / (y | 1) + step;
      z = clamp(z, (short)x, (short)200) * y;
    } else if (z > 100) {
      for (uchar j = 0; j < (x & 7); ++j) y = mul_hi(y, (char)j) + z % 3;
    } else {
      y = add_sat(y, (char)x);
      if (z & 1) z = rotate(z, (short)y);
      else x = sub_sat(x, (uchar)9);
    }
    switch (x & 3) {
      case 0: x ^= z; break;
      case 1: y = -y; break;
      case 2: z += x * y; break;
      default: out[i] = x;
    }
  }
  out[i] = x + y + z;
}
