// SPDX-License-Identifier: Apache-2.0
// TI's EdmaMgr for C code that is linked with kernels: copies of lines of bytes, which are done
// when the function that starts them returns.
#ifdef __OPENCL_VERSION__
// In OpenCL C the compiler has it in a header of its own.
#include_next <dsp_edmamgr.h>
#elif !defined(CONCLAVE_TI_DSP_EDMAMGR_H_)
#define CONCLAVE_TI_DSP_EDMAMGR_H_

#include <dsp_c.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* EdmaMgr_Handle;

#define EdmaMgr_SUCCESS 0
#define EdmaMgr_ERROR_INVARG (-1)
#define EdmaMgr_ERROR_INVCFG (-2)
#define EdmaMgr_ERROR_RMANINIT (-3)
#define EdmaMgr_ERROR_INVHANDLE (-4)
#define EdmaMgr_ERROR_FREE (-5)

int EdmaMgr_init(int core, void* configuration);
// A channel for at most that many transfers at a time; null if none is left.
EdmaMgr_Handle EdmaMgr_alloc(int max_linked_transfers);
#define __ocl_EdmaMgr_alloc_intrakernel EdmaMgr_alloc
#define __ocl_EdmaMgr_alloc_crosskernel EdmaMgr_alloc
int EdmaMgr_free(EdmaMgr_Handle h);
void EdmaMgr_wait(EdmaMgr_Handle h);

// One transfer.
int EdmaMgr_copy1D1D(EdmaMgr_Handle h, const void* src, void* dst, int num_bytes);
int EdmaMgr_copy1D2D(EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines,
                     int pitch);
int EdmaMgr_copy2D1D(EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines,
                     int pitch);
int EdmaMgr_copy2D2D(EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines,
                     int pitch);
int EdmaMgr_copy2D2DSep(EdmaMgr_Handle h, const void* src, void* dst, int num_bytes, int num_lines,
                        int src_pitch, int dst_pitch);
#define EdmaMgr_copy1D2DLarge EdmaMgr_copy1D2D
#define EdmaMgr_copy2D1DLarge EdmaMgr_copy2D1D
// Repeats the channel's last transfer between other places.
int EdmaMgr_copyFast(EdmaMgr_Handle h, const void* src, void* dst);

// Several transfers at once; the first that fails ends the list.
int EdmaMgr_copy1D1DLinked(EdmaMgr_Handle h, void* src[], void* dst[], int num_bytes[],
                           int num_transfers);
int EdmaMgr_copy1D2DLinked(EdmaMgr_Handle h, void* src[], void* dst[], int num_bytes[],
                           int num_lines[], int pitch[], int num_transfers);
int EdmaMgr_copy2D1DLinked(EdmaMgr_Handle h, void* src[], void* dst[], int num_bytes[],
                           int num_lines[], int pitch[], int num_transfers);
int EdmaMgr_copy2D2DLinked(EdmaMgr_Handle h, void* src[], void* dst[], int num_bytes[],
                           int num_lines[], int pitch[], int num_transfers);
int EdmaMgr_copy2D2DSepLinked(EdmaMgr_Handle h, void* src[], void* dst[], int num_bytes[],
                              int num_lines[], int src_pitch[], int dst_pitch[], int num_transfers);
int EdmaMgr_copyLinkedFast(EdmaMgr_Handle h, void* src[], void* dst[], int num_transfers);

#ifdef __cplusplus
}
#endif

#endif  // CONCLAVE_TI_DSP_EDMAMGR_H_
