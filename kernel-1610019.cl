/*
seed 1610019: difference with options '-w -cl-std=CL2.0 -cl-conclave-width=2'
  out1[1061], part 0 (int): 1 instead of 0
  launch: global 33x1x1, local 11x1x1, offset 0x0x0, m 3, n 5, q -667844508, f 34
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  float f0;
  int f1;
} Record;
constant float table[16] = {((float)(-3.0f)), 8.0f, 14.0f, ((float)(-16.25f)), ((float)(112.25f)), ((float)(-3.0f)), 7.0f, 1.0f, 9.0f, ((float)(-1.0f)), 11.0f, ((float)(-2.0f)), ((float)(-1.0f)), 5.0f, ((float)(16.25f)), ((float)(48.5f))};
int helper0(short4 a0, uint a1) {
  int r = ((int)(convert_int(get_global_id(0)) >> ((uint)((int)(get_num_groups(0))) & 7u)));
  char4 t = as_char4(as_uchar4(((char4)(((char)(get_global_id(0)))))) * as_uchar4(((char4)(convert_char_sat_rtp(table[6])))));
  a0 ^= (rhadd(a0, a0) >> ((((short4)(convert_short_sat(get_global_id(0)))) > a0 ? ((short4)(convert_short_sat(get_global_id(0)))) : ((short4)(((short)(get_group_id(0)))))) & (short4)(7)));
  t ^= ((t).s3311).s1203;
  a0 = rhadd(a0, ((short4)(convert_short_sat(add_sat(((char)(get_global_size(0))), ((char)((a0).s1)))))));
  a1 = ((uint)(a1 >> 5));
  return r;
}
kernel void k(global const uint* in0, global const half* in1, global const double* in2, global double* out0, global int* out1, global float2* out2, global const Record* records, global Record* new_records, global ulong* sums, global uint* counters, local double* exchanged, int m, int n, long q, float f) {
  const ulong g = (ulong)(get_global_id(0));
  const uint l = (uint)(get_local_id(0));
  const uint n_l = (uint)(get_local_size(0));
  const uint o = (uint)(get_global_id(0) - get_local_id(0));
  uint v0 = ((uint)(in0[5 + get_global_id(0)] % ((l & 15) + 1)));
  uchar v1 = convert_uchar(v0);
  uint v2 = ((uint)(10));
  float v3 = fabs(((float)(72.5f)));
  char v4 = sub_sat(((char)(124u)), ((char)(v0)));
  int4 v5 = mad_sat(((int4)(as_int(o))), ((int4)(convert_int(get_local_size(0)))), ((int4)(4)));
  long v6 = max(convert_long_sat_rtp(new_records[((g * 37) & 511) * 4 + 1].f0), q);
  Record r0 = records[g];
  local uint bins[16];
  v1 = rhadd(convert_uchar_sat_rte(records[4 + get_global_id(0)].f0), v1);
  v4 = sub_sat(as_char(abs(v4)), v4);
  for (long k2 = 0; k2 < (sub_sat(((ulong)(8)), get_group_id(0)) & 7); ++k2) {
    {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint i = l; i < 16; i += n_l) bins[i] = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint w3 = (r0.f1 & 15);
      const bool b4 = (bool)(((out1[((g * 37) & 511) * 4 + 1] & 5) != 0));
      if (bins[w3]) {
        if (b4) bins[w3] = 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      out1[((g * 37) & 511) * 4 + (v1 & 3)] = convert_int(bins[(((ushort)((uint)convert_ushort(out1[((g * 37) & 511) * 4 + (((uint)(0)) & 3)]) - (uint)((ushort)(o)))) & 15)]);
    }
    switch ((((short)((uint)((short)(convert_short(get_num_groups(0)) & convert_short(in0[m]))) * (uint)((short)(((n & 4) != 0) ? convert_short(get_group_id(0)) : ((short)(11)))))) & 3)) {
     case 0:
      {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = l; i < 16; i += n_l) bins[i] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint w5 = (uint)m & 15;
        const bool b6 = (bool)(any(convert_uint4_sat(v5) == ((uint4)(o, ((uint)(4)), ((uint2)(convert_uint_sat(records[0 + get_global_id(0)].f0)))))));
        if (bins[w5]) {
          if (b6) bins[w5] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        v4 = convert_char(bins[(((int)((uint)m - (uint)r0.f1)) & 15)]);
      }
      break;
     case 1:
      out2[((g * 37) & 511) * 4 + 0].s0 = table[15];
     default:
      out0[3 * 512 + g] = clamp(convert_double(helper0(((short4)(convert_short_sat(get_global_id(0)))), as_uint(r0.f1))), ((double)(-1024.0)), 1024.0);
      v6 = ((long)(0));
      break;
    }
    if ((((((char)(12)) > ((char)(2))) || ((convert_uint(out1[((g * 37) & 511) * 4 + (m & 3)]) & 2) != 0)) && ((r0.f1 & 7) != 0))) {
      new_records[((g * 37) & 511) * 4 + (select(convert_char(get_local_id(0)), v4, (char)(3 != m)) & 3)].f1 = ((int)(((int)(((int)!((int)(1761274168u))) < ((int)((uint)m << 30)))) < ((int)(mad24(new_records[((g * 37) & 511) * 4 + (convert_int(v4) & 3)].f1 & (int)(0x7fff), new_records[((g * 37) & 511) * 4 + (((short)(get_num_groups(0))) & 3)].f1 & (int)(0xfff), records[4 + get_global_id(0)].f1 / (int)(2)) < mul24(out1[((g * 37) & 511) * 4 + 1] & (int)(0x7fff), out1[((g * 37) & 511) * 4 + 0] & (int)(0xfff))))));
      out1[((g * 37) & 511) * 4 + (10 & 3)] = clz(convert_int_sat_rte(f));
      v0 = ((uint)(convert_uint(helper0((((short4)(((short)(g)))) & ((short4)(convert_short(get_local_size(0))))), popcount(o))) % ((((uint)((uint)in0[g * 3 + m] + (uint)mad24(((uint)(17)) & (uint)(0x7fff), convert_uint(g) & (uint)(0xfff), l / (uint)(2)))) & 15) + 1)));
      atomic_add(&counters[14], atomic_inc(&counters[15]));
    }
    else {
      v4 = convert_char((((int4)(3476953011u))).s1);
      out0[2 * 512 + g] = convert_double(((uint)(v2 & ((uint)(127)))));
      v1 = convert_uchar_sat_rte((vload2(g, in2)).s0);
    }
  }
  {
    uint k7 = 0;
    while (k7 < 5 && any(((ushort2)(2)) != ((ushort2)(((ushort)(new_records[((g * 37) & 511) * 4 + 1].f1)))))) {
      ++k7;
      for (int k8 = (as_int(f) & 7); k8 > 0; k8 >>= 1) {
        out0[0 * 512 + g] = clamp(rint(out0[3 * 512 + g]), ((double)(-1024.0)), 1024.0);
      }
      {
        long k9 = 0;
        while (k9 < 5 && all(((ushort8)(((ushort)(q)))) >= ((ushort8)(convert_ushort_sat(f))))) {
          ++k9;
          v6 = ((long)((ulong)((long)(((long)((ulong)((long)(7067740522832417340ul)) / ((ulong)q | 1u))) >> 54)) + (ulong)q));
          v2 = ((uint)(((uint)!o) < ((uint)(o ^ n_l))));
        }
      }
      v4 = ((char)(((char)((uint)((char)(v4 ^ v4)) - (uint)((char)((uint)v4 * (uint)((char)(m)))))) >> 7));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 16; i += n_l) bins[i] = 0x55aa55aau;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((v2 >= ((uint)(4)))) atomic_add(&bins[(as_uint(((int)(m / ((12 & 15) + 1)))) & 15)], ((uint)(930801319u)));
  barrier(CLK_LOCAL_MEM_FENCE);
  v5 = ((int4)(as_int(bins[(((char)(10)) & 15)])));
  v1 = convert_uchar_sat(in1[511 - g]);
  if ((in0[(get_group_id(0) & 511)] >= add_sat(l, v2))) {
    if ((any(((int2)(convert_int(get_num_groups(0)))) < ((int2)(convert_int(n_l)))) && ((((double)(-16.25)) >= clamp(convert_double(get_group_id(0)), ((double)(-1024.0)), 1024.0)) || ((11 & 3) != 0)))) {
      atomic_xor(&counters[4 + (((long)(convert_long(v0) < convert_long(get_global_size(0)))) & 3)], ((uint)(mul24(v0 & (uint)(0x7fff), n_l & (uint)(0xfff)) | convert_uint_sat(v6))));
      v5 = select(((int4)(n)), ((int4)(convert_int_sat(q))), as_uint4(((int4)(8))));
      new_records[((g * 37) & 511) * 4 + (rotate(in0[0 + get_global_id(0)], as_uint((v5).s0)) & 3)].f1 = as_int(abs(n));
      v3 = f;
    }
    else {
      r0.f0 = step(new_records[((g * 37) & 511) * 4 + (((uchar)(((uchar)(1)) % ((uchar)(5)))) & 3)].f0, v3);
      new_records[((g * 37) & 511) * 4 + 1].f0 = (-max(((float)(-8.5f)) + 0.0f, r0.f0 + 0.0f));
    }
  }
  ulong sum = 0;
  sum = sum * 31 + ((ulong)(v0));
  sum = sum * 31 + convert_ulong(v1);
  sum = sum * 31 + convert_ulong(v2);
  sum = sum * 31 + convert_ulong_sat(v3);
  sum = sum * 31 + convert_ulong_sat(v4);
  sum = sum * 31 + convert_ulong_sat((v5).s2);
  sum = sum * 31 + ((ulong)(v6));
  sums[g] = sum;
  new_records[((g * 37) & 511) * 4 + 1] = r0;
  out0[(((short)(3)) & 3) * 512 + g] = clamp(floor(((double)(-24.25))), ((double)(-1024.0)), 1024.0);
  out1[((g * 37) & 511) * 4 + (((char)(143u)) & 3)] = ((int)((uint)((int)(get_global_size(0))) - (uint)7));
  out2[((g * 37) & 511) * 4 + 2] = ((float2)(4.0f));
}
