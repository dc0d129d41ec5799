// SPDX-License-Identifier: Apache-2.0
// Many small kernels of conversions, explicit vectors among them.
#define ONE(from, to, mode)                                                          \
  kernel void from##_##to##mode(global const from* in, global to* out) {             \
    size_t i = get_global_id(0);                                                     \
    out[i] = convert_##to##mode(in[i]);                                              \
  }
#define SIZES(from, to, mode) ONE(from, to, mode) ONE(from##4, to##4, mode)
SIZES(float, char, _sat)
SIZES(float, uchar, _sat_rte)
SIZES(float, short, _sat_rtp)
SIZES(float, int, _sat)
SIZES(float, uint, _sat_rtn)
SIZES(float, long, _sat)
SIZES(double, int, _sat_rtz)
SIZES(double, float, _rtn)
SIZES(int, float, _rtp)
SIZES(int, uchar, _sat)
SIZES(long, float, _rte)
SIZES(ulong, short, _sat)
SIZES(uchar, float, )
SIZES(short, char, _sat)
