// SPDX-License-Identifier: Apache-2.0
// The hash value after one block of 64 bytes, for each work-item.
__constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint rotated(uint x, uint count) {
  return (x >> count) | (x << (32 - count));
}

__kernel void sha256(__global const uint* blocks, __global uint* hashes) {
  const size_t i = get_global_id(0);
  uint w[16];
  for (int t = 0; t < 16; ++t) w[t] = blocks[i * 16 + t];
  uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
  for (int t = 0; t < 64; ++t) {
    if (t >= 16) {
      const uint w1 = w[(t + 1) % 16], w14 = w[(t + 14) % 16];
      w[t % 16] += (rotated(w1, 7) ^ rotated(w1, 18) ^ (w1 >> 3)) + w[(t + 9) % 16] +
                   (rotated(w14, 17) ^ rotated(w14, 19) ^ (w14 >> 10));
    }
    const uint t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) +
                    round_constants[t] + w[t % 16];
    const uint t2 =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  __global uint* hash = hashes + i * 8;
  hash[0] = a + 0x6a09e667;
  hash[1] = b + 0xbb67ae85;
  hash[2] = c + 0x3c6ef372;
  hash[3] = d + 0xa54ff53a;
  hash[4] = e + 0x510e527f;
  hash[5] = f + 0x9b05688c;
  hash[6] = g + 0x1f83d9ab;
  hash[7] = h + 0x5be0cd19;
}
