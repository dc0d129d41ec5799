// SPDX-License-Identifier: Apache-2.0
// Pipes.
#include "platform/model/pipe.h"

#include "icd/device_info.h"

using namespace conclave;
using namespace conclave::icd;

bool icd::describe_pipes(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_PIPE_SUPPORT:
      return info.flag(true), true;
    case CL_DEVICE_MAX_PIPE_ARGS:
      return info.value<cl_uint>(Pipe::kMaxArguments), true;
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
      return info.value<cl_uint>(Pipe::kMaxReservations), true;
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
      return info.value<cl_uint>(Pipe::kMaxPacketBytes), true;
    default:
      return false;
  }
}

extern "C" {

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context handle, cl_mem_flags flags,
                                             cl_uint packet_size, cl_uint max_packets,
                                             const cl_pipe_properties* properties, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    constexpr cl_mem_flags kAllowed = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    require(!(flags & ~kAllowed), CL_INVALID_VALUE,
            "a pipe is for kernels that read and write, without access of the host");
    require(!properties, CL_INVALID_VALUE, "a pipe has no properties");
    require(packet_size > 0 && packet_size <= Pipe::kMaxPacketBytes && max_packets > 0,
            CL_INVALID_PIPE_SIZE,
            "packets of 0 bytes or more than CL_DEVICE_PIPE_MAX_PACKET_SIZE, or none");
    return (new Memory(c, flags ? flags : kAllowed, Pipe{packet_size, max_packets}))->handle();
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem handle, cl_pipe_info name, size_t size,
                                              void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Pipe* pipe = memory(handle).pipe();
    require(pipe, CL_INVALID_MEM_OBJECT, "not a pipe");
    Info info(size, value, size_ret);
    switch (name) {
      case CL_PIPE_PACKET_SIZE:
        return info.value<cl_uint>(pipe->packet_bytes);
      case CL_PIPE_MAX_PACKETS:
        return info.value<cl_uint>(pipe->packets);
      case CL_PIPE_PROPERTIES:
        return info.list(std::vector<cl_pipe_properties>());
      default:
        unknown_query(name);
    }
  });
}

}  // extern "C"
