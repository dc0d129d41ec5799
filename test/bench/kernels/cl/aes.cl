// SPDX-License-Identifier: Apache-2.0
// AES-128 with the usual tables: t[k] is what a byte in row k of the state becomes in a round, as a
// column. Columns are big-endian words; round_keys has 44 of them.
__kernel void aes(__global const uint4* plain, __global uint4* cipher, __constant uint* round_keys,
                  __constant uint* t0, __constant uint* t1, __constant uint* t2,
                  __constant uint* t3, __constant uchar* box) {
  const size_t i = get_global_id(0);
  uint4 s = plain[i];
  s ^= (uint4)(round_keys[0], round_keys[1], round_keys[2], round_keys[3]);
  for (int round = 1; round < 10; ++round) {
    __constant uint* key = round_keys + 4 * round;
    uint4 n;
    n.x = t0[s.x >> 24] ^ t1[(s.y >> 16) & 255] ^ t2[(s.z >> 8) & 255] ^ t3[s.w & 255] ^ key[0];
    n.y = t0[s.y >> 24] ^ t1[(s.z >> 16) & 255] ^ t2[(s.w >> 8) & 255] ^ t3[s.x & 255] ^ key[1];
    n.z = t0[s.z >> 24] ^ t1[(s.w >> 16) & 255] ^ t2[(s.x >> 8) & 255] ^ t3[s.y & 255] ^ key[2];
    n.w = t0[s.w >> 24] ^ t1[(s.x >> 16) & 255] ^ t2[(s.y >> 8) & 255] ^ t3[s.z & 255] ^ key[3];
    s = n;
  }
  uint4 last;
  last.x = (box[s.x >> 24] << 24) | (box[(s.y >> 16) & 255] << 16) | (box[(s.z >> 8) & 255] << 8) |
           box[s.w & 255];
  last.y = (box[s.y >> 24] << 24) | (box[(s.z >> 16) & 255] << 16) | (box[(s.w >> 8) & 255] << 8) |
           box[s.x & 255];
  last.z = (box[s.z >> 24] << 24) | (box[(s.w >> 16) & 255] << 16) | (box[(s.x >> 8) & 255] << 8) |
           box[s.y & 255];
  last.w = (box[s.w >> 24] << 24) | (box[(s.x >> 16) & 255] << 16) | (box[(s.y >> 8) & 255] << 8) |
           box[s.z & 255];
  cipher[i] = last ^ (uint4)(round_keys[40], round_keys[41], round_keys[42], round_keys[43]);
}
