/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface to the device as XRT's programs use it: names, arguments and results are XRT's.
 * Functions that return int return 0 or a negative errno; docs/xclbin.md has the table.
 * Those that return handles or addresses leave it in errno. Link with -lxrt_core. */
#ifndef CONCLAVE_XRT_XRT_H_
#define CONCLAVE_XRT_XRT_H_

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "ert.h"
#include "xclbin.h"

#define XCL_DRIVER_DLLESPEC __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef void* xclDeviceHandle;
typedef unsigned int xclBufferHandle;
/* A file descriptor. */
typedef int32_t xclBufferExportHandle;
#define XRT_NULL_HANDLE NULL
#define NULLBO 0xffffffff
#define XRT_NULL_BO NULLBO
#define NULLBOEXPORT (-1)
#define XRT_NULL_BO_EXPORT NULLBOEXPORT

/* Flags of buffer objects. The low 24 bits name a bank of memory: there is one, 0. */
#define XCL_BO_FLAGS_CACHEABLE (1U << 24)
#define XCL_BO_FLAGS_KERNBUF (1U << 25)
#define XCL_BO_FLAGS_SGL (1U << 26)
#define XCL_BO_FLAGS_SVM (1U << 27)
#define XCL_BO_FLAGS_DEV_ONLY (1U << 28)
#define XCL_BO_FLAGS_HOST_ONLY (1U << 29)
#define XCL_BO_FLAGS_P2P (1U << 30)
#define XCL_BO_FLAGS_EXECBUF (1U << 31)

enum xclVerbosityLevel { XCL_QUIET = 0, XCL_INFO = 1, XCL_WARN = 2, XCL_ERROR = 3 };
enum xclBOSyncDirection {
  XCL_BO_SYNC_BO_TO_DEVICE = 0,
  XCL_BO_SYNC_BO_FROM_DEVICE = 1,
  /* Between a buffer object and a stream: only for xrt::aie::bo. */
  XCL_BO_SYNC_BO_GMIO_TO_AIE = 2,
  XCL_BO_SYNC_BO_AIE_TO_GMIO = 3
};

struct xclBOProperties {
  uint32_t handle;
  uint32_t flags;
  uint64_t size;
  uint64_t paddr; /* the value for the register of a pointer argument */
  int reserved;
};

/* How many devices there are: one. */
XCL_DRIVER_DLLESPEC unsigned int xclProbe(void);
XCL_DRIVER_DLLESPEC unsigned int xclVersion(void);

/* A handle of device 0; null if it is not available. `log` and `level` mean nothing here:
 * CONCLAVE_LOG=debug tells of each call that fails. */
XCL_DRIVER_DLLESPEC xclDeviceHandle xclOpen(unsigned int deviceIndex, const char* log,
                                            enum xclVerbosityLevel level);
/* Waits for the handle's commands, closes its contexts and frees its buffer objects. */
XCL_DRIVER_DLLESPEC void xclClose(xclDeviceHandle handle);

/* Loads an xclbin, of header.m_length bytes; does nothing if it is loaded already. */
XCL_DRIVER_DLLESPEC int xclLoadXclBin(xclDeviceHandle handle, const struct axlf* xclbin);

/* A context on compute unit `ipIndex` of the xclbin; with 0xffffffff on the xclbin alone. */
XCL_DRIVER_DLLESPEC int xclOpenContext(xclDeviceHandle handle, const xuid_t xclbinId,
                                       unsigned int ipIndex, bool shared);
XCL_DRIVER_DLLESPEC int xclCloseContext(xclDeviceHandle handle, const xuid_t xclbinId,
                                        unsigned int ipIndex);
/* The number of "kernel:compute unit" in the xclbin that is loaded, or -ENOENT. */
XCL_DRIVER_DLLESPEC int xclIPName2Index(xclDeviceHandle handle, const char* name);

XCL_DRIVER_DLLESPEC xclBufferHandle xclAllocBO(xclDeviceHandle handle, size_t size, int unused,
                                               unsigned int flags);
XCL_DRIVER_DLLESPEC xclBufferHandle xclAllocUserPtrBO(xclDeviceHandle handle, void* userptr,
                                                      size_t size, unsigned int flags);
XCL_DRIVER_DLLESPEC void xclFreeBO(xclDeviceHandle handle, xclBufferHandle bo);
/* 0, or a negative errno as a size_t. */
XCL_DRIVER_DLLESPEC size_t xclWriteBO(xclDeviceHandle handle, xclBufferHandle bo, const void* src,
                                      size_t size, size_t seek);
XCL_DRIVER_DLLESPEC size_t xclReadBO(xclDeviceHandle handle, xclBufferHandle bo, void* dst,
                                     size_t size, size_t skip);
/* Null if there is no such buffer object. */
XCL_DRIVER_DLLESPEC void* xclMapBO(xclDeviceHandle handle, xclBufferHandle bo, bool write);
XCL_DRIVER_DLLESPEC int xclUnmapBO(xclDeviceHandle handle, xclBufferHandle bo, void* address);
/* Host and device share the memory, so these functions only check their arguments. */
XCL_DRIVER_DLLESPEC int xclSyncBO(xclDeviceHandle handle, xclBufferHandle bo,
                                  enum xclBOSyncDirection dir, size_t size, size_t offset);
XCL_DRIVER_DLLESPEC int xclCopyBO(xclDeviceHandle handle, xclBufferHandle dst, xclBufferHandle src,
                                  size_t size, size_t dst_offset, size_t src_offset);
XCL_DRIVER_DLLESPEC int xclGetBOProperties(xclDeviceHandle handle, xclBufferHandle bo,
                                           struct xclBOProperties* properties);

/* A new file descriptor of the buffer object's memory, for xclImportBO() of another process, or a
 * negative errno; the caller closes it. Not for the memory of xclAllocUserPtrBO() or of commands
 * (EINVAL). The first export of a buffer object without XCL_BO_FLAGS_P2P moves its bytes: while
 * commands of the handle run, it fails (EBUSY), and what the host writes meanwhile may be lost. */
XCL_DRIVER_DLLESPEC xclBufferExportHandle xclExportBO(xclDeviceHandle handle, xclBufferHandle bo);
/* A buffer object in the same memory; NULLBO if the descriptor does not come from xclExportBO(). It
 * stays the caller's. */
XCL_DRIVER_DLLESPEC xclBufferHandle xclImportBO(xclDeviceHandle handle, xclBufferExportHandle fd,
                                                unsigned int flags);

/* Starts the command whose packet is in a buffer object. The packet's state says when it is done.
 */
XCL_DRIVER_DLLESPEC int xclExecBuf(xclDeviceHandle handle, xclBufferHandle cmd);
/* Waits for the end of a command: 1, 0 if none ends in time (-1 ms: for ever). Each end is told
 * once. */
XCL_DRIVER_DLLESPEC int xclExecWait(xclDeviceHandle handle, int timeoutMilliSec);

/* Conclave's: why the calling thread's last call failed, in words. */
XCL_DRIVER_DLLESPEC const char* xclConclaveErrorText(void);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_XRT_XRT_H_ */
