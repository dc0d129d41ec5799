// SPDX-License-Identifier: Apache-2.0
// The entry points of include/xrt/xrt_conclave.h for the array of graphs, the host's ports and
// profiling.
#include "xrt/entry.h"
#include "xrt/stream_profile.h"
#include "xrt/xcl_array.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {
namespace {

OpenHandles<XclArray>& open_arrays() {
  static auto* arrays = new OpenHandles<XclArray>("array");  // for static destructors
  return *arrays;
}
OpenHandles<XclTransfer>& open_transfers() {
  static auto* transfers = new OpenHandles<XclTransfer>("transfer");
  return *transfers;
}
OpenHandles<StreamProfile>& open_profiles() {
  static auto* profiles = new OpenHandles<StreamProfile>("profile");
  return *profiles;
}

template <class Body>
int with_array(const char* function, xclConclaveArray handle, Body&& body) noexcept {
  return guarded(function, [&] {
    require_no_fork();
    body(*open_arrays().find(handle));
  });
}

}  // namespace
}  // namespace conclave::xrt

using namespace conclave;
using namespace conclave::xrt;

extern "C" {

xclConclaveArray xclConclaveOpenArray(xclDeviceHandle handle, unsigned int mode) {
  xclConclaveArray array = nullptr;
  guarded(__func__, [&] {
    require_no_fork();
    auto device = open_devices().find(handle);
    device->use();
    array = open_arrays().add(std::make_shared<XclArray>(std::move(device), mode_of(mode)));
  });
  return array;
}

int xclConclaveCloseArray(xclConclaveArray array) {
  return guarded(__func__, [&] {
    open_arrays().find(array)->close();
    open_arrays().remove(array);
  });
}

int xclConclaveDropArray(xclConclaveArray array) {
  return guarded(__func__, [&] {
    open_arrays().find(array)->drop();
    open_arrays().remove(array);
  });
}

int xclConclaveResetArray(xclConclaveArray array) {
  return with_array(__func__, array, [](XclArray& a) { a.reset(); });
}

xclConclaveTransfer xclConclaveStartTransfer(xclConclaveArray array, const char* port,
                                             xclBufferHandle buffer, xclBOSyncDirection direction,
                                             size_t size, size_t offset) {
  xclConclaveTransfer transfer = nullptr;
  with_array(__func__, array, [&](XclArray& a) {
    transfer = open_transfers().add(
        std::make_shared<XclTransfer>(a.start(port ? port : "", buffer, direction, size, offset)));
  });
  return transfer;
}

int xclConclaveWaitTransfer(xclConclaveTransfer transfer) {
  return guarded(__func__, [&] {
    require_no_fork();
    const auto found = open_transfers().find(transfer);
    found->port->wait(*found->transfer);
  });
}

int xclConclaveFreeTransfer(xclConclaveTransfer transfer) {
  return guarded(__func__, [&] {
    open_transfers().find(transfer);
    open_transfers().remove(transfer);
  });
}

int xclConclaveWaitPort(xclConclaveArray array, const char* port) {
  return with_array(__func__, array, [&](XclArray& a) { a.wait(port ? port : ""); });
}

xclConclaveProfile xclConclaveStartProfile(xclConclaveArray array, unsigned int option,
                                           const char* port) {
  xclConclaveProfile profile = nullptr;
  guarded(__func__, [&] {
    require_no_fork();
    profile = open_profiles().add(
        std::make_shared<StreamProfile>(open_arrays().find(array), option, port ? port : ""));
  });
  return profile;
}

int xclConclaveReadProfile(xclConclaveProfile profile, uint64_t* words) {
  return guarded(__func__, [&] {
    require_no_fork();
    if (!words) throw Error(CL_INVALID_VALUE, "a null pointer", EINVAL);
    *words = open_profiles().find(profile)->read();
  });
}

int xclConclaveStopProfile(xclConclaveProfile profile) {
  return guarded(__func__, [&] { open_profiles().find(profile)->stop(); });
}

int xclConclaveFreeProfile(xclConclaveProfile profile) {
  return guarded(__func__, [&] {
    open_profiles().find(profile);
    open_profiles().remove(profile);
  });
}

}  // extern "C"
