// SPDX-License-Identifier: Apache-2.0
// TI's EdmaMgr: copies of lines of bytes. A transfer is done when the function that starts it
// returns, so waiting for one only orders what comes after it.
//
// 1D: lines lie one behind the other; 2D: `pitch` bytes from one to the next.
#ifndef _DSP_EDMAMGR_H_
#define _DSP_EDMAMGR_H_

#include <dsp_c.h>

typedef void* EdmaMgr_Handle;

// C code has them as functions of the program (compiler/native/support/ti_device.c).
#ifndef CONCLAVE_FUNCTION
#define CONCLAVE_FUNCTION static inline
#endif

#define EdmaMgr_SUCCESS 0
#define EdmaMgr_ERROR_INVARG (-1)
#define EdmaMgr_ERROR_INVCFG (-2)
#define EdmaMgr_ERROR_RMANINIT (-3)
#define EdmaMgr_ERROR_INVHANDLE (-4)
#define EdmaMgr_ERROR_FREE (-5)

CONCLAVE_FUNCTION int EdmaMgr_init(int core, void* configuration) {
  return EdmaMgr_SUCCESS;
}
// A channel for up to so many transfers at a time; null where there is none left.
CONCLAVE_FUNCTION EdmaMgr_Handle EdmaMgr_alloc(int max_linked_transfers) {
  return (EdmaMgr_Handle)conclave_device_call(conclave_kDmaAllocate, max_linked_transfers, 0, 0);
}
#define __ocl_EdmaMgr_alloc_intrakernel EdmaMgr_alloc
#define __ocl_EdmaMgr_alloc_crosskernel EdmaMgr_alloc
CONCLAVE_FUNCTION int EdmaMgr_free(EdmaMgr_Handle h) {
  return conclave_device_call(conclave_kDmaFree, (ulong)h, 0, 0) ? EdmaMgr_SUCCESS
                                                                 : EdmaMgr_ERROR_INVHANDLE;
}
CONCLAVE_FUNCTION void EdmaMgr_wait(EdmaMgr_Handle h) {
  conclave_device_call(conclave_kDmaWait, (ulong)h, 0, 0);
  __mfence();
}

// Transfer `i` of the channel once more, between other places.
static inline int conclave_dma_start(EdmaMgr_Handle h, int i, ulong src, ulong dst) {
  const ulong transfer = (ulong)(uint)i << 32 | (ulong)h;
  return conclave_device_call(conclave_kDmaStart, transfer, src, dst) ? EdmaMgr_SUCCESS
                                                                      : EdmaMgr_ERROR_INVHANDLE;
}
static inline int conclave_dma_copy(EdmaMgr_Handle h, int i, ulong src, ulong dst, int num_bytes,
                                    int num_lines, int src_pitch, int dst_pitch) {
  if (num_bytes < 0 || num_lines < 0) return EdmaMgr_ERROR_INVARG;
  conclave_device_call(conclave_kDmaShape, (ulong)(uint)i << 32 | (ulong)h,
                       (ulong)num_lines << 32 | (uint)num_bytes,
                       (ulong)(uint)dst_pitch << 32 | (uint)src_pitch);
  return conclave_dma_start(h, i, src, dst);
}

// One transfer. Macros, so that pointers to any memory are taken in all versions of OpenCL C.
#define EdmaMgr_copy2D2DSep(h, src, dst, num_bytes, num_lines, src_pitch, dst_pitch) \
  conclave_dma_copy(h, 0, (ulong)(src), (ulong)(dst), num_bytes, num_lines, src_pitch, dst_pitch)
#define EdmaMgr_copy1D1D(h, src, dst, num_bytes) \
  EdmaMgr_copy2D2DSep(h, src, dst, num_bytes, 1, 0, 0)
#define EdmaMgr_copy1D2D(h, src, dst, num_bytes, num_lines, pitch) \
  EdmaMgr_copy2D2DSep(h, src, dst, num_bytes, num_lines, num_bytes, pitch)
#define EdmaMgr_copy2D1D(h, src, dst, num_bytes, num_lines, pitch) \
  EdmaMgr_copy2D2DSep(h, src, dst, num_bytes, num_lines, pitch, num_bytes)
#define EdmaMgr_copy2D2D(h, src, dst, num_bytes, num_lines, pitch) \
  EdmaMgr_copy2D2DSep(h, src, dst, num_bytes, num_lines, pitch, pitch)
#define EdmaMgr_copy1D2DLarge EdmaMgr_copy1D2D
#define EdmaMgr_copy2D1DLarge EdmaMgr_copy2D1D
#define EdmaMgr_copyFast(h, src, dst) conclave_dma_start(h, 0, (ulong)(src), (ulong)(dst))

// Several transfers at once; the first that fails ends the list.
#define CONCLAVE_LINKED(...)                                                                 \
  int status = EdmaMgr_SUCCESS;                                                              \
  for (int i = 0; i < num_transfers && status == EdmaMgr_SUCCESS; ++i) status = __VA_ARGS__; \
  return status
CONCLAVE_FUNCTION int EdmaMgr_copy1D1DLinked(EdmaMgr_Handle h, void* src[], void* dst[],
                                             int num_bytes[], int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_copy(h, i, (ulong)src[i], (ulong)dst[i], num_bytes[i], 1, 0, 0));
}
CONCLAVE_FUNCTION int EdmaMgr_copy1D2DLinked(EdmaMgr_Handle h, void* src[], void* dst[],
                                             int num_bytes[], int num_lines[], int pitch[],
                                             int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_copy(h, i, (ulong)src[i], (ulong)dst[i], num_bytes[i], num_lines[i],
                                    num_bytes[i], pitch[i]));
}
CONCLAVE_FUNCTION int EdmaMgr_copy2D1DLinked(EdmaMgr_Handle h, void* src[], void* dst[],
                                             int num_bytes[], int num_lines[], int pitch[],
                                             int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_copy(h, i, (ulong)src[i], (ulong)dst[i], num_bytes[i], num_lines[i],
                                    pitch[i], num_bytes[i]));
}
CONCLAVE_FUNCTION int EdmaMgr_copy2D2DLinked(EdmaMgr_Handle h, void* src[], void* dst[],
                                             int num_bytes[], int num_lines[], int pitch[],
                                             int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_copy(h, i, (ulong)src[i], (ulong)dst[i], num_bytes[i], num_lines[i],
                                    pitch[i], pitch[i]));
}
CONCLAVE_FUNCTION int EdmaMgr_copy2D2DSepLinked(EdmaMgr_Handle h, void* src[], void* dst[],
                                                int num_bytes[], int num_lines[], int src_pitch[],
                                                int dst_pitch[], int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_copy(h, i, (ulong)src[i], (ulong)dst[i], num_bytes[i], num_lines[i],
                                    src_pitch[i], dst_pitch[i]));
}
CONCLAVE_FUNCTION int EdmaMgr_copyLinkedFast(EdmaMgr_Handle h, void* src[], void* dst[],
                                             int num_transfers) {
  CONCLAVE_LINKED(conclave_dma_start(h, i, (ulong)src[i], (ulong)dst[i]));
}
#undef CONCLAVE_LINKED
#undef CONCLAVE_FUNCTION

#endif  // _DSP_EDMAMGR_H_
