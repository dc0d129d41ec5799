// SPDX-License-Identifier: Apache-2.0
// cl_khr_kernel_clock. All scopes read the device's one clock, which the runtime keeps, so these
// functions are linked before the compiler forms barrier regions (early.bc).
#include "instantiate.h"

#define CONCLAVE_DEVICE_CALL(name) name,
enum DeviceCall {
#include "conclave/device_calls.def"
};
#undef CONCLAVE_DEVICE_CALL

ulong conclave_device_call(uint call, ulong a, ulong b, ulong c);

#define READ(SCOPE)                                                                     \
  OVERLOAD ulong clock_read_##SCOPE(void) { return conclave_device_call(kClock, 0, 0, 0); } \
  OVERLOAD uint2 clock_read_hilo_##SCOPE(void) { return as_uint2(clock_read_##SCOPE()); }
READ(device)
READ(work_group)
READ(sub_group)
