// SPDX-License-Identifier: Apache-2.0
// The entry points of include/xrt/xrt.h: they turn handles into objects, and exceptions into errno.
#include "xrt/xrt.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/host_cpus.h"
#include "platform/base/log.h"
#include "platform/exec/engine.h"
#include "platform/model/device.h"
#include "platform/share/share.h"
#include "xrt/entry.h"
#include "xrt/xcl_device.h"

namespace conclave::xrt {
namespace {

constexpr uint64_t kMaxXclbinBytes = uint64_t{1} << 30;

template <class Body>
int with_device(const char* function, xclDeviceHandle handle, Body&& body) noexcept {
  return guarded(function, [&] {
    require_no_fork();
    body(*open_devices().find(handle));
  });
}

void require_pointer(const void* pointer) {
  if (!pointer) throw Error(CL_INVALID_VALUE, "a null pointer", EINVAL);
}

XclbinUuid uuid_of(const unsigned char* bytes) {
  XclbinUuid uuid{};
  if (bytes) std::memcpy(uuid.data(), bytes, uuid.size());
  return uuid;
}

std::string bytes_of(const axlf* xclbin) {
  if (!xclbin || !is_xclbin({xclbin->m_magic, sizeof xclbin->m_magic}))
    throw Error(CL_INVALID_BINARY, "xclbin: does not begin with \"xclbin2\"", EINVAL);
  if (xclbin->m_header.m_length < sizeof(axlf))
    throw Error(CL_INVALID_BINARY, "xclbin: is cut short", EINVAL);
  if (xclbin->m_header.m_length > kMaxXclbinBytes)
    throw Error(CL_INVALID_BINARY, "xclbin: is too large", E2BIG);
  return {reinterpret_cast<const char*>(xclbin), xclbin->m_header.m_length};
}

}  // namespace
}  // namespace conclave::xrt

using namespace conclave;
using namespace conclave::xrt;

extern "C" {

unsigned int xclProbe() {
  return 1;
}

unsigned int xclVersion() {
  return 2;
}

xclDeviceHandle xclOpen(unsigned int index, const char*, xclVerbosityLevel) {
  xclDeviceHandle handle = nullptr;
  guarded(__func__, [&] {
    if (index != 0)
      throw Error(CL_INVALID_DEVICE, "there is no device " + std::to_string(index), ENODEV);
    require_no_fork();
    if (const std::string why = Device::configuration_errors(); !why.empty())
      throw Error(CL_DEVICE_NOT_AVAILABLE, "the device is not available: " + why, ENODEV);
    handle = open_devices().add(std::make_shared<XclDevice>());
  });
  return handle;
}

void xclClose(xclDeviceHandle handle) {
  guarded(__func__, [&] {
    const auto device = open_devices().find(handle);
    open_devices().remove(handle);
    device->close();
  });
}

int xclLoadXclBin(xclDeviceHandle handle, const axlf* xclbin) {
  return with_device(__func__, handle, [&](XclDevice& device) { device.load(bytes_of(xclbin)); });
}

int xclOpenContext(xclDeviceHandle handle, const xuid_t uuid, unsigned int unit, bool shared) {
  return with_device(__func__, handle,
                     [&](XclDevice& device) { device.open_context(uuid_of(uuid), unit, shared); });
}

int xclCloseContext(xclDeviceHandle handle, const xuid_t uuid, unsigned int unit) {
  return with_device(__func__, handle,
                     [&](XclDevice& device) { device.close_context(uuid_of(uuid), unit); });
}

int xclIPName2Index(xclDeviceHandle handle, const char* name) {
  int number = 0;
  const int error = with_device(__func__, handle, [&](XclDevice& device) {
    number = static_cast<int>(device.unit_number(name ? name : ""));
  });
  return error ? error : number;
}

xclBufferHandle xclAllocBO(xclDeviceHandle handle, size_t size, int, unsigned int flags) {
  xclBufferHandle made = NULLBO;
  with_device(__func__, handle,
              [&](XclDevice& device) { made = device.allocate(size, nullptr, flags); });
  return made;
}

xclBufferHandle xclAllocUserPtrBO(xclDeviceHandle handle, void* memory, size_t size,
                                  unsigned int flags) {
  xclBufferHandle made = NULLBO;
  with_device(__func__, handle, [&](XclDevice& device) {
    require_pointer(memory);
    made = device.allocate(size, memory, flags);
  });
  return made;
}

void xclFreeBO(xclDeviceHandle handle, xclBufferHandle buffer) {
  with_device(__func__, handle, [&](XclDevice& device) { device.free(buffer); });
}

size_t xclWriteBO(xclDeviceHandle handle, xclBufferHandle buffer, const void* from, size_t size,
                  size_t offset) {
  return static_cast<size_t>(with_device(__func__, handle, [&](XclDevice& device) {
    std::memcpy(device.bytes(buffer, size, offset), from, size);
  }));
}

size_t xclReadBO(xclDeviceHandle handle, xclBufferHandle buffer, void* to, size_t size,
                 size_t offset) {
  return static_cast<size_t>(with_device(__func__, handle, [&](XclDevice& device) {
    std::memcpy(to, device.bytes(buffer, size, offset), size);
  }));
}

void* xclMapBO(xclDeviceHandle handle, xclBufferHandle buffer, bool) {
  void* address = nullptr;
  with_device(__func__, handle, [&](XclDevice& device) { address = device.bytes(buffer, 0, 0); });
  return address;
}

int xclUnmapBO(xclDeviceHandle handle, xclBufferHandle buffer, void* address) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    if (device.bytes(buffer, 0, 0) != address)
      throw Error(CL_INVALID_VALUE, "the buffer object is not mapped there", EINVAL);
  });
}

int xclSyncBO(xclDeviceHandle handle, xclBufferHandle buffer, xclBOSyncDirection direction,
              size_t size, size_t offset) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    device.bytes(buffer, size, offset);
    if (direction != XCL_BO_SYNC_BO_TO_DEVICE && direction != XCL_BO_SYNC_BO_FROM_DEVICE)
      throw Error(CL_INVALID_VALUE, "an unknown direction", EINVAL);
  });
}

int xclCopyBO(xclDeviceHandle handle, xclBufferHandle to, xclBufferHandle from, size_t size,
              size_t to_offset, size_t from_offset) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    std::memmove(device.bytes(to, size, to_offset), device.bytes(from, size, from_offset), size);
  });
}

int xclGetBOProperties(xclDeviceHandle handle, xclBufferHandle buffer,
                       xclBOProperties* properties) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    require_pointer(properties);
    *properties = device.properties(buffer);
  });
}

xclBufferExportHandle xclExportBO(xclDeviceHandle handle, xclBufferHandle buffer) {
  int descriptor = -1;
  const int error = with_device(
      __func__, handle, [&](XclDevice& device) { descriptor = device.export_buffer(buffer); });
  return error ? error : descriptor;
}

xclBufferHandle xclImportBO(xclDeviceHandle handle, xclBufferExportHandle descriptor,
                            unsigned int flags) {
  xclBufferHandle made = NULLBO;
  with_device(__func__, handle,
              [&](XclDevice& device) { made = device.import_buffer(descriptor, flags); });
  return made;
}

int xclExecBuf(xclDeviceHandle handle, xclBufferHandle command) {
  return with_device(__func__, handle, [&](XclDevice& device) { device.execute(command, {}); });
}

int xclExecWait(xclDeviceHandle handle, int timeout_ms) {
  bool ended = false;
  const int error =
      with_device(__func__, handle, [&](XclDevice& device) { ended = device.wait(timeout_ms); });
  return error ? error : ended;
}

int xclConclaveGetDevice(xclDeviceHandle handle, xclConclaveDevice* info) {
  return with_device(__func__, handle, [&](XclDevice&) {
    require_pointer(info);
    *info = {};
    Device::name().copy(info->name, sizeof info->name - 1);
    info->num_units = Device::root().compute_units().size();
    info->clock_mhz = host_cpu_mhz();
  });
}

int xclConclaveGetXclbin(xclDeviceHandle handle, xuid_t uuid) {
  return with_device(__func__, handle, [&](XclDevice&) {
    require_pointer(uuid);
    const auto loaded = share::Share::get().xclbin_slot().loaded();
    if (!loaded) throw Error(CL_INVALID_PROGRAM, "no xclbin is loaded", ENOENT);
    std::memcpy(uuid, loaded->uuid.data(), loaded->uuid.size());
  });
}

int xclConclaveGetKernel(xclDeviceHandle handle, const char* name, xclConclaveKernel* kernel) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    require_pointer(kernel);
    *kernel = device.kernel(name ? name : "");
  });
}

int xclConclaveGetArgument(xclDeviceHandle handle, const char* kernel, unsigned int index,
                           xclConclaveArgument* argument) {
  return with_device(__func__, handle, [&](XclDevice& device) {
    require_pointer(argument);
    *argument = device.argument(kernel ? kernel : "", index);
  });
}

int xclConclaveExecBuf(xclDeviceHandle handle, xclBufferHandle command,
                       void (*ended)(unsigned int, void*), void* data) {
  return with_device(__func__, handle,
                     [&](XclDevice& device) { device.execute(command, {ended, data}); });
}

int xclConclaveSetIni(const char* key, const char* value) {
  return guarded(__func__, [&] {
    require_pointer(key);
    require_pointer(value);
    Config::set_ini(key, value);
  });
}

const char* xclConclaveErrorText() {
  return last_error_text();
}

}  // extern "C"
