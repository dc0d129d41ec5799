// SPDX-License-Identifier: Apache-2.0
// XRT's extensions of OpenCL: compute units of xclbins, buffers of several processes.
#include <CL/cl_ext_conclave.h>

#include "icd/entry.h"
#include "icd/memory_flags.h"
#include "platform/loader/xclbin_file.h"
#include "platform/model/xclbin_binding.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// The banks of memory that each argument may be in, as bits.
std::vector<cl_ulong> connections(const Kernel& k) {
  std::vector<cl_ulong> banks;
  for (const ArgumentInfo& argument : k.info().arguments)
    banks.push_back(argument.kind == ArgumentKind::kPointer ||
                    argument.kind == ArgumentKind::kImage);
  return banks;
}

}  // namespace

extern "C" {

CONCLAVE_EXPORT cl_int CL_API_CALL xclGetComputeUnitInfo(cl_kernel handle, cl_uint cu_id,
                                                         xcl_compute_unit_info name, size_t size,
                                                         void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Kernel& k = kernel(handle);
    require(k.binding() != nullptr, CL_INVALID_KERNEL, "the kernel is not of an xclbin");
    const std::vector<uint32_t>& units = k.binding()->units();
    require(cu_id < units.size(), CL_INVALID_VALUE, "the kernel has no such compute unit");
    const uint32_t number = units[cu_id];
    Info info(size, value, size_ret);
    switch (name) {
      case XCL_COMPUTE_UNIT_NAME:
        return info.text(k.binding()->xclbin().layout().compute_units[number].name);
      case XCL_COMPUTE_UNIT_INDEX:
        return info.value<cl_uint>(number);
      case XCL_COMPUTE_UNIT_CONNECTIONS:
        return info.list(connections(k));
      case XCL_COMPUTE_UNIT_BASE_ADDRESS:
        return info.value<size_t>(base_address(number));
      default:
        unknown_query(name);
    }
  });
}

CONCLAVE_EXPORT cl_int CL_API_CALL xclGetMemObjectFd(cl_mem handle, int* descriptor) {
  return guarded(__func__, [&] {
    Memory& m = buffer(handle);
    require(descriptor, CL_INVALID_VALUE, "nowhere to put the descriptor");
    const SharedStorage* storage = m.shared_storage();
    require(storage, CL_INVALID_MEM_OBJECT,
            "the buffer was not made with CL_MEM_EXT_PTR_XILINX and XCL_MEM_EXT_P2P_BUFFER");
    *descriptor = storage->new_descriptor();
  });
}

CONCLAVE_EXPORT cl_int CL_API_CALL xclGetMemObjectFromFd(cl_context context_handle,
                                                         cl_device_id device_handle,
                                                         cl_mem_flags flags, int descriptor,
                                                         cl_mem* result) {
  return guarded(__func__, [&] {
    Context& c = context(context_handle);
    require(c.has(device(device_handle)), CL_INVALID_DEVICE, "the context has not the device");
    require(result, CL_INVALID_VALUE, "nowhere to put the buffer");
    check_memory_flags(flags);
    check_host_pointer(flags, nullptr, 1);
    try {
      *result = (new Memory(c, flags, SharedStorage::import(descriptor)))->handle();
    } catch (const Error& error) {
      throw Error(CL_INVALID_MEM_OBJECT, error.text(), error.error_number());
    }
  });
}

}  // extern "C"
