// SPDX-License-Identifier: Apache-2.0
// Kernels and their arguments.
#include <CL/cl_ext_conclave.h>

#include <algorithm>

#include "icd/entry.h"
#include "icd/index_space.h"
#include "platform/model/xclbin_binding.h"

using namespace conclave;
using namespace conclave::icd;

extern "C" {

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program handle, const char* name,
                                                  cl_int* code) {
  return create(__func__, code, [&] {
    Program& p = program(handle);
    require_usable(p.context());
    require(name, CL_INVALID_VALUE, "no kernel name");
    return (new Kernel(p, name))->handle();
  });
}

CL_API_ENTRY cl_int CL_API_CALL __ti_set_kernel_timeout_ms(cl_kernel handle, cl_uint milliseconds) {
  return guarded(__func__, [&] { kernel(handle).set_timeout_ms(milliseconds); });
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program handle, cl_uint num_kernels,
                                                         cl_kernel* kernels, cl_uint* count) {
  return guarded(__func__, [&] {
    Program& p = program(handle);
    require_usable(p.context());
    std::vector<std::string> names;
    for (const Ref<Device>& d : p.devices()) {
      Build build = p.build_for(*d);
      if (!build.code) continue;
      names = p.kernel_names(*build.binary);
      break;
    }
    require(!names.empty(), CL_INVALID_PROGRAM_EXECUTABLE, "the program has no kernels");
    if (kernels) {
      require(num_kernels >= names.size(), CL_INVALID_VALUE, "not enough room for the kernels");
      std::vector<Ref<Kernel>> made;  // all or none
      for (const std::string& name : names) {
        auto* k = new Kernel(p, name);
        made.emplace_back(k);
      }
      for (size_t i = 0; i < made.size(); ++i) kernels[i] = made[i]->handle();
    }
    if (count) *count = static_cast<cl_uint>(names.size());
  });
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel handle, cl_int* code) {
  return create(__func__, code, [&] {
    Kernel& k = kernel(handle);
    require_usable(k.program().context());
    return (new Kernel(k))->handle();
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel handle) {
  return guarded(__func__, [&] { kernel(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel handle) {
  return guarded(__func__, [&] { release(kernel(handle), CL_INVALID_KERNEL); });
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel handle, cl_uint index, size_t size,
                                               const void* value) {
  return guarded(__func__, [&] { kernel(handle).set_argument(index, size, value); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel handle, cl_kernel_info name, size_t size,
                                                void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Kernel& k = kernel(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME:
        return info.text(k.info().name);
      case CL_KERNEL_NUM_ARGS:
        return info.value<cl_uint>(static_cast<cl_uint>(k.info().arguments.size()));
      case CL_KERNEL_REFERENCE_COUNT:
        return info.value<cl_uint>(k.handles());
      case CL_KERNEL_CONTEXT:
        return info.value<cl_context>(k.program().context().handle());
      case CL_KERNEL_COMPUTE_UNIT_COUNT:
        return info.value<cl_uint>(k.binding() ? static_cast<cl_uint>(k.binding()->units().size())
                                               : k.units_on(*k.program().devices().front()).size());
      case CL_KERNEL_PROGRAM:
        return info.value<cl_program>(k.program().handle());
      case CL_KERNEL_ATTRIBUTES:
        // Known for kernels from source only, says the specification.
        return info.text(k.program().from_source() ? k.info().attributes : "");
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel handle, cl_uint index,
                                                   cl_kernel_arg_info name, size_t size,
                                                   void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Kernel& k = kernel(handle);
    require(index < k.info().arguments.size(), CL_INVALID_ARG_INDEX, "no such argument");
    const ArgumentInfo& argument = k.info().arguments[index];
    Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return info.value(argument.address);
      case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return info.value(argument.access);
      case CL_KERNEL_ARG_TYPE_NAME:
        return info.text(argument.type_name);
      case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return info.value(argument.qualifiers);
      case CL_KERNEL_ARG_NAME:
        return info.text(argument.name);
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel handle,
                                                         cl_device_id device_handle,
                                                         cl_kernel_work_group_info name,
                                                         size_t size, void* value,
                                                         size_t* size_ret) {
  return guarded(__func__, [&] {
    const Kernel& k = kernel(handle);
    const KernelCode& code = code_for_query(k, device_handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_KERNEL_WORK_GROUP_SIZE:
        return info.value<size_t>(code.max_work_group_size);
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return info.value(code.info->required_local_size);
      case CL_KERNEL_LOCAL_MEM_SIZE:
        return info.value<cl_ulong>(k.local_bytes(code).saturated());
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return info.value<cl_ulong>(code.info->private_bytes);
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return info.value<size_t>(code.info->lanes);
      // 0 would say that no register is ever stored, which nobody counts.
      case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
        return info.value<cl_ulong>(std::max<cl_ulong>(1, code.info->spill_bytes));
      case CL_KERNEL_GLOBAL_WORK_SIZE:
        throw Error(CL_INVALID_VALUE,
                    "CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels");
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(
    cl_command_queue queue_handle, cl_kernel handle, cl_uint dimensions, const size_t* offset,
    const size_t* global, size_t* suggested) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    const Kernel& k = kernel(handle);
    require(suggested, CL_INVALID_VALUE, "nowhere to put the answer");
    const KernelCode& code = *executable_code(q, k);
    require_arguments_set(k);
    require_dimensions(dimensions);
    for (cl_uint d = 0; d < dimensions; ++d)
      require(global && global[d], CL_INVALID_GLOBAL_WORK_SIZE, "no global size, or one of 0");
    IndexSpace space = index_space(q, k, code, dimensions, offset, global, nullptr);
    for (cl_uint d = 0; d < dimensions; ++d) suggested[d] = space.local[d];
  });
}

}  // extern "C"
