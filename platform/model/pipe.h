// SPDX-License-Identifier: Apache-2.0
// What makes a memory object a pipe. Kernels move its packets (compiler/builtins/pipe.cl); the host
// sees none of them.
#ifndef CONCLAVE_PLATFORM_MODEL_PIPE_H_
#define CONCLAVE_PLATFORM_MODEL_PIPE_H_

#include <CL/cl.h>

#include <cstddef>

#include "platform/base/checked_size.h"

namespace conclave {

struct Pipe {
  cl_uint packet_bytes;
  cl_uint packets;  // at most

  // Limits that clGetDeviceInfo reports.
  static constexpr cl_uint kMaxArguments = 16;
  static constexpr cl_uint kMaxReservations = 16;
  static constexpr cl_uint kMaxPacketBytes = 1024;

  // Size of the memory that kernels see.
  CheckedSize bytes() const;
  // Makes an empty pipe of it.
  void begin(std::byte* memory) const;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_PIPE_H_
