/* SPDX-License-Identifier: Apache-2.0 */
/* What Conclave adds to XRT's C interface: what a library above it, such as libxrt_coreutil, cannot
 * do with XRT's functions. Functions that return int return a negative errno for failures, and
 * xclConclaveErrorText() tells more. Link with -lxrt_core. */
#ifndef CONCLAVE_XRT_XRT_CONCLAVE_H_
#define CONCLAVE_XRT_XRT_CONCLAVE_H_

#include "xrt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xclConclaveDevice {
  char name[128];
  uint32_t num_units; /* compute units of the device */
  uint32_t clock_mhz; /* 0 if it is not known */
};
XCL_DRIVER_DLLESPEC int xclConclaveGetDevice(xclDeviceHandle handle,
                                             struct xclConclaveDevice* device);

/* The UUID of the xclbin that is loaded, by whatever process; ENOENT if there is none. */
XCL_DRIVER_DLLESPEC int xclConclaveGetXclbin(xclDeviceHandle handle, xuid_t uuid);

/* A kernel of the xclbin that the handle's contexts are on. */
struct xclConclaveKernel {
  uint32_t num_units;
  uint32_t units[256]; /* numbers of its compute units in the xclbin */
  uint32_t num_arguments;
  uint32_t global_size; /* offset of the registers for the global size; those for the local size
                           follow. Three words each. */
};
/* `name`: "kernel", which means all its compute units, or "kernel:{unit,unit}". ENOENT if the
 * xclbin has none of that name, EINVAL if the handle has no context. */
XCL_DRIVER_DLLESPEC int xclConclaveGetKernel(xclDeviceHandle handle, const char* name,
                                             struct xclConclaveKernel* kernel);

enum xclConclaveArgumentKind {
  XCL_CONCLAVE_ARGUMENT_VALUE = 0,
  XCL_CONCLAVE_ARGUMENT_POINTER = 1, /* paddr of a buffer object; 0 is a null pointer */
  XCL_CONCLAVE_ARGUMENT_LOCAL = 2,   /* bytes of local memory */
  XCL_CONCLAVE_ARGUMENT_OTHER = 3,   /* image or sampler, which no register can give */
  XCL_CONCLAVE_ARGUMENT_STREAM = 4   /* what the xclbin connects; takes registers, unused */
};
struct xclConclaveArgument {
  char name[64];   /* cut off if it is longer */
  char type[64];   /* as in the kernel's source, likewise */
  uint32_t kind;   /* enum xclConclaveArgumentKind */
  uint32_t offset; /* of its registers */
  uint32_t size;   /* of its value, in bytes: that of a value as the kernel declares it */
};
/* EINVAL if the kernel has no argument of this number. */
XCL_DRIVER_DLLESPEC int xclConclaveGetArgument(xclDeviceHandle handle, const char* kernel,
                                               unsigned int index,
                                               struct xclConclaveArgument* argument);

/* xclExecBuf(). When the command has ended, `ended` is called with the packet's last state
 * (enum ert_cmd_state) on a thread of the device. The function should be short. It may use
 * handles, but must not wait for commands. It is not called if this function fails. */
XCL_DRIVER_DLLESPEC int xclConclaveExecBuf(xclDeviceHandle handle, xclBufferHandle cmd,
                                           void (*ended)(unsigned int state, void* data),
                                           void* data);

/* Access modes of graphs and of the array of graphs (docs/access-modes.md). */
enum xclConclaveAccessMode {
  XCL_CONCLAVE_ACCESS_EXCLUSIVE = 0,
  XCL_CONCLAVE_ACCESS_PRIMARY = 1,
  XCL_CONCLAVE_ACCESS_SHARED = 2
};

/* The array, open in a mode until it is closed. Null, and errno, if it cannot be had. */
typedef void* xclConclaveArray;
XCL_DRIVER_DLLESPEC xclConclaveArray xclConclaveOpenArray(xclDeviceHandle handle,
                                                          unsigned int mode);
/* EBUSY while this process has graphs open. */
XCL_DRIVER_DLLESPEC int xclConclaveCloseArray(xclConclaveArray array);
/* Closes it in any case. */
XCL_DRIVER_DLLESPEC int xclConclaveDropArray(xclConclaveArray array);
/* Empties the streams of the xclbin whose kernels do not run, and resets the parameters and states
 * of the graphs that nobody has open. EPERM in shared mode. */
XCL_DRIVER_DLLESPEC int xclConclaveResetArray(xclConclaveArray array);

/* A part of a buffer object of the array's device on its way through a port of the host, which XRT
 * calls GMIO (docs/graphs.md), until it is freed; the transfer goes on without it. Null, and
 * errno: EPERM in shared mode; EINVAL for an unknown port, a port of the other direction, and a
 * part that is empty or does not lie inside the buffer object. */
typedef void* xclConclaveTransfer;
XCL_DRIVER_DLLESPEC xclConclaveTransfer xclConclaveStartTransfer(xclConclaveArray array,
                                                                 const char* port,
                                                                 xclBufferHandle buffer,
                                                                 enum xclBOSyncDirection direction,
                                                                 size_t size, size_t offset);
/* Waits until all its bytes are in the stream, or out of it. EIO if the stream breaks: the process
 * that runs the kernel at the other end has died; ENODEV if the array is closed meanwhile. */
XCL_DRIVER_DLLESPEC int xclConclaveWaitTransfer(xclConclaveTransfer transfer);
XCL_DRIVER_DLLESPEC int xclConclaveFreeTransfer(xclConclaveTransfer transfer);
/* The same for everything that was started on the port. EPERM in shared mode. */
XCL_DRIVER_DLLESPEC int xclConclaveWaitPort(xclConclaveArray array, const char* port);

/* Counts what any process sends through a stream, until it is freed. `option`: with
 * XRT's number; EINVAL for others. `port`: a port of the host, or a kernel's argument as the layout
 * names it. All fail with EPERM in shared mode; null, and errno, if profiling cannot be started.
 */
enum xclConclaveProfilingOption { XCL_CONCLAVE_PROFILE_RUNNING_EVENTS = 3 };
typedef void* xclConclaveProfile;
XCL_DRIVER_DLLESPEC xclConclaveProfile xclConclaveStartProfile(xclConclaveArray array,
                                                               unsigned int option,
                                                               const char* port);
/* Words of 32 bits since then. EINVAL if it has been stopped, the array closed, or the xclbin
 * replaced. */
XCL_DRIVER_DLLESPEC int xclConclaveReadProfile(xclConclaveProfile profile, uint64_t* words);
XCL_DRIVER_DLLESPEC int xclConclaveStopProfile(xclConclaveProfile profile);
XCL_DRIVER_DLLESPEC int xclConclaveFreeProfile(xclConclaveProfile profile);

/* A graph of the xclbin, open in a mode until it is closed. Null, and errno, if it cannot
 * be had. */
typedef void* xclConclaveGraph;
XCL_DRIVER_DLLESPEC xclConclaveGraph xclConclaveOpenGraph(xclDeviceHandle handle, const xuid_t uuid,
                                                          const char* name, unsigned int mode);
/* Leaves its kernels that run. */
XCL_DRIVER_DLLESPEC int xclConclaveCloseGraph(xclConclaveGraph graph);
/* All return EPERM if the mode does not permit them, EINVAL if the graph's state does not. */
XCL_DRIVER_DLLESPEC int xclConclaveResetGraph(xclConclaveGraph graph);
/* `iterations`: 0: until it is suspended or ended. */
XCL_DRIVER_DLLESPEC int xclConclaveRunGraph(xclConclaveGraph graph, uint64_t iterations);
/* `ms`: 0: for ever; ETIME. */
XCL_DRIVER_DLLESPEC int xclConclaveWaitGraph(xclConclaveGraph graph, uint64_t ms);
/* Waits until so many cycles have passed since run(), and suspends; 0: until it is done. */
XCL_DRIVER_DLLESPEC int xclConclaveWaitGraphCycles(xclConclaveGraph graph, uint64_t cycles);
XCL_DRIVER_DLLESPEC int xclConclaveSuspendGraph(xclConclaveGraph graph);
XCL_DRIVER_DLLESPEC int xclConclaveResumeGraph(xclConclaveGraph graph);
XCL_DRIVER_DLLESPEC int xclConclaveEndGraph(xclConclaveGraph graph, uint64_t cycles);
XCL_DRIVER_DLLESPEC int xclConclaveTimestampGraph(xclConclaveGraph graph, uint64_t* cycles);
/* A run-time parameter by its port, "graph.kernel.port". `wait`: for a synchronous one, until the
 * graph has taken the last value, or written a new one; EAGAIN otherwise. */
XCL_DRIVER_DLLESPEC int xclConclaveUpdateGraph(xclConclaveGraph graph, const char* port,
                                               const void* value, size_t size, bool wait);
XCL_DRIVER_DLLESPEC int xclConclaveReadGraph(xclConclaveGraph graph, const char* port, void* value,
                                             size_t size, bool wait);

/* Sets a key of xrt.ini for this process, such as "Runtime.multiprocess" to "false". EBUSY if
 * the configuration has been read, which the first use of the device does; EINVAL if the value
 * is none of the key's. Keys that mean nothing here are accepted. */
XCL_DRIVER_DLLESPEC int xclConclaveSetIni(const char* key, const char* value);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_XRT_XRT_CONCLAVE_H_ */
