// SPDX-License-Identifier: Apache-2.0
// libxrt_core.so: what XRT's programs link. It hands each call on to libconclave.so beside it,
// which it loads privately. Programs that also use OpenCL get that library from their loader, and
// both interfaces work on one platform.
#include <CL/cl_ext_conclave.h>
#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "platform/base/library_directory.h"
#include "xrt/xrt.h"
#include "xrt/xrt_conclave.h"

namespace {

// The library in the folder of this one; null, with a message, if it cannot be loaded.
void* open_platform() {
  const std::string mine =
      conclave::library_directory(reinterpret_cast<const void*>(&open_platform));
  const std::string path = (mine.empty() ? "" : mine + "/") + "libconclave.so";
  void* platform = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!platform) std::fprintf(stderr, "libxrt_core.so: %s\n", dlerror());
  return platform;
}

template <class Function>
Function* find(const char* name) {
  static void* const platform = open_platform();
  return platform ? reinterpret_cast<Function*>(dlsym(platform, name)) : nullptr;
}

}  // namespace

// `failed`: the result if there is no platform.
#define FORWARD(result, name, failed, parameters, arguments)      \
  result name parameters {                                        \
    static auto* const function = find<result parameters>(#name); \
    return function ? function arguments : failed;                \
  }

extern "C" {

FORWARD(unsigned, xclProbe, 0, (), ())
FORWARD(unsigned, xclVersion, 2, (), ())
FORWARD(xclDeviceHandle, xclOpen, nullptr,
        (unsigned index, const char* log, xclVerbosityLevel level), (index, log, level))
FORWARD(void, xclClose, void(), (xclDeviceHandle handle), (handle))
FORWARD(int, xclLoadXclBin, -ENODEV, (xclDeviceHandle handle, const axlf* xclbin), (handle, xclbin))
FORWARD(int, xclOpenContext, -ENODEV,
        (xclDeviceHandle handle, const xuid_t uuid, unsigned unit, bool shared),
        (handle, uuid, unit, shared))
FORWARD(int, xclCloseContext, -ENODEV, (xclDeviceHandle handle, const xuid_t uuid, unsigned unit),
        (handle, uuid, unit))
FORWARD(int, xclIPName2Index, -ENODEV, (xclDeviceHandle handle, const char* name), (handle, name))
FORWARD(xclBufferHandle, xclAllocBO, NULLBO,
        (xclDeviceHandle handle, size_t size, int unused, unsigned flags),
        (handle, size, unused, flags))
FORWARD(xclBufferHandle, xclAllocUserPtrBO, NULLBO,
        (xclDeviceHandle handle, void* memory, size_t size, unsigned flags),
        (handle, memory, size, flags))
FORWARD(void, xclFreeBO, void(), (xclDeviceHandle handle, xclBufferHandle buffer), (handle, buffer))
FORWARD(size_t, xclWriteBO, static_cast<size_t>(-ENODEV),
        (xclDeviceHandle handle, xclBufferHandle buffer, const void* from, size_t size,
         size_t offset),
        (handle, buffer, from, size, offset))
FORWARD(size_t, xclReadBO, static_cast<size_t>(-ENODEV),
        (xclDeviceHandle handle, xclBufferHandle buffer, void* to, size_t size, size_t offset),
        (handle, buffer, to, size, offset))
FORWARD(void*, xclMapBO, nullptr, (xclDeviceHandle handle, xclBufferHandle buffer, bool write),
        (handle, buffer, write))
FORWARD(int, xclUnmapBO, -ENODEV, (xclDeviceHandle handle, xclBufferHandle buffer, void* address),
        (handle, buffer, address))
FORWARD(int, xclSyncBO, -ENODEV,
        (xclDeviceHandle handle, xclBufferHandle buffer, xclBOSyncDirection direction, size_t size,
         size_t offset),
        (handle, buffer, direction, size, offset))
FORWARD(int, xclCopyBO, -ENODEV,
        (xclDeviceHandle handle, xclBufferHandle to, xclBufferHandle from, size_t size,
         size_t to_offset, size_t from_offset),
        (handle, to, from, size, to_offset, from_offset))
FORWARD(int, xclGetBOProperties, -ENODEV,
        (xclDeviceHandle handle, xclBufferHandle buffer, xclBOProperties* properties),
        (handle, buffer, properties))
FORWARD(int, xclExecBuf, -ENODEV, (xclDeviceHandle handle, xclBufferHandle command),
        (handle, command))
FORWARD(int, xclExecWait, -ENODEV, (xclDeviceHandle handle, int timeout_ms), (handle, timeout_ms))
FORWARD(xclBufferExportHandle, xclExportBO, -ENODEV,
        (xclDeviceHandle handle, xclBufferHandle buffer), (handle, buffer))
FORWARD(xclBufferHandle, xclImportBO, NULLBO,
        (xclDeviceHandle handle, xclBufferExportHandle descriptor, unsigned flags),
        (handle, descriptor, flags))
FORWARD(int, xclConclaveGetDevice, -ENODEV, (xclDeviceHandle handle, xclConclaveDevice* device),
        (handle, device))
FORWARD(int, xclConclaveGetXclbin, -ENODEV, (xclDeviceHandle handle, xuid_t uuid), (handle, uuid))
FORWARD(int, xclConclaveGetKernel, -ENODEV,
        (xclDeviceHandle handle, const char* name, xclConclaveKernel* kernel),
        (handle, name, kernel))
FORWARD(int, xclConclaveGetArgument, -ENODEV,
        (xclDeviceHandle handle, const char* kernel, unsigned index, xclConclaveArgument* argument),
        (handle, kernel, index, argument))
FORWARD(int, xclConclaveExecBuf, -ENODEV,
        (xclDeviceHandle handle, xclBufferHandle command, void (*ended)(unsigned, void*),
         void* data),
        (handle, command, ended, data))
FORWARD(xclConclaveArray, xclConclaveOpenArray, nullptr, (xclDeviceHandle handle, unsigned mode),
        (handle, mode))
FORWARD(int, xclConclaveCloseArray, -ENODEV, (xclConclaveArray array), (array))
FORWARD(int, xclConclaveDropArray, -ENODEV, (xclConclaveArray array), (array))
FORWARD(int, xclConclaveResetArray, -ENODEV, (xclConclaveArray array), (array))
FORWARD(xclConclaveTransfer, xclConclaveStartTransfer, nullptr,
        (xclConclaveArray array, const char* port, xclBufferHandle buffer,
         xclBOSyncDirection direction, size_t size, size_t offset),
        (array, port, buffer, direction, size, offset))
FORWARD(int, xclConclaveWaitTransfer, -ENODEV, (xclConclaveTransfer transfer), (transfer))
FORWARD(int, xclConclaveFreeTransfer, -ENODEV, (xclConclaveTransfer transfer), (transfer))
FORWARD(int, xclConclaveWaitPort, -ENODEV, (xclConclaveArray array, const char* port),
        (array, port))
FORWARD(xclConclaveProfile, xclConclaveStartProfile, nullptr,
        (xclConclaveArray array, unsigned option, const char* port), (array, option, port))
FORWARD(int, xclConclaveReadProfile, -ENODEV, (xclConclaveProfile profile, uint64_t* words),
        (profile, words))
FORWARD(int, xclConclaveStopProfile, -ENODEV, (xclConclaveProfile profile), (profile))
FORWARD(int, xclConclaveFreeProfile, -ENODEV, (xclConclaveProfile profile), (profile))
FORWARD(xclConclaveGraph, xclConclaveOpenGraph, nullptr,
        (xclDeviceHandle handle, const xuid_t uuid, const char* name, unsigned mode),
        (handle, uuid, name, mode))
FORWARD(int, xclConclaveCloseGraph, -ENODEV, (xclConclaveGraph graph), (graph))
FORWARD(int, xclConclaveResetGraph, -ENODEV, (xclConclaveGraph graph), (graph))
FORWARD(int, xclConclaveRunGraph, -ENODEV, (xclConclaveGraph graph, uint64_t iterations),
        (graph, iterations))
FORWARD(int, xclConclaveWaitGraph, -ENODEV, (xclConclaveGraph graph, uint64_t ms), (graph, ms))
FORWARD(int, xclConclaveWaitGraphCycles, -ENODEV, (xclConclaveGraph graph, uint64_t cycles),
        (graph, cycles))
FORWARD(int, xclConclaveSuspendGraph, -ENODEV, (xclConclaveGraph graph), (graph))
FORWARD(int, xclConclaveResumeGraph, -ENODEV, (xclConclaveGraph graph), (graph))
FORWARD(int, xclConclaveEndGraph, -ENODEV, (xclConclaveGraph graph, uint64_t cycles),
        (graph, cycles))
FORWARD(int, xclConclaveTimestampGraph, -ENODEV, (xclConclaveGraph graph, uint64_t* cycles),
        (graph, cycles))
FORWARD(int, xclConclaveUpdateGraph, -ENODEV,
        (xclConclaveGraph graph, const char* port, const void* value, size_t size, bool wait),
        (graph, port, value, size, wait))
FORWARD(int, xclConclaveReadGraph, -ENODEV,
        (xclConclaveGraph graph, const char* port, void* value, size_t size, bool wait),
        (graph, port, value, size, wait))
FORWARD(int, xclConclaveSetIni, -ENODEV, (const char* key, const char* value), (key, value))
FORWARD(cl_int, xclGetComputeUnitInfo, CL_OUT_OF_RESOURCES,
        (cl_kernel kernel, cl_uint unit, xcl_compute_unit_info name, size_t size, void* value,
         size_t* size_ret),
        (kernel, unit, name, size, value, size_ret))
FORWARD(cl_int, xclGetMemObjectFd, CL_OUT_OF_RESOURCES, (cl_mem memory, int* descriptor),
        (memory, descriptor))
FORWARD(cl_int, xclGetMemObjectFromFd, CL_OUT_OF_RESOURCES,
        (cl_context context, cl_device_id device, cl_mem_flags flags, int descriptor,
         cl_mem* memory),
        (context, device, flags, descriptor, memory))
FORWARD(const char*, xclConclaveErrorText, "libconclave.so cannot be loaded", (), ())

}  // extern "C"
