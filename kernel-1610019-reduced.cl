/*
seed 1610019: difference with options '-w -cl-std=CL2.0 -cl-conclave-width=2'
  out1[1063], part 0 (int): 1 instead of 0
  launch: global 33x1x1, local 11x1x1, offset 0x0x0, m 3, n 5, q -667844508, f 34
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  float f0;
  int f1;
} Record;
kernel void k(global const uint* in0, global const half* in1, global const double* in2, global double* out0, global int* out1, global float2* out2, global const Record* records, global Record* new_records, global ulong* sums, global uint* counters, local double* exchanged, int m, int n, long q, float f) {
  const ulong g = (ulong)(get_global_id(0));
  const uint l = (uint)(get_local_id(0));
  const uint n_l = (uint)(get_local_size(0));
  const uint o = (uint)(get_global_id(0) - get_local_id(0));
  uint v0 = ((uint)(in0[5 + get_global_id(0)] % ((l & 15) + 1)));
  uchar v1 = convert_uchar(v0);
  Record r0 = records[g];
  local uint bins[16];
  v1 = rhadd(convert_uchar_sat_rte(records[4 + get_global_id(0)].f0), v1);
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
  }
}
