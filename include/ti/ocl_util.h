// SPDX-License-Identifier: Apache-2.0
// TI's helpers for host programs. Link with libocl_util.
#ifndef CONCLAVE_TI_OCL_UTIL_H_
#define CONCLAVE_TI_OCL_UTIL_H_

#ifdef __cplusplus

#ifndef __CL_ENABLE_EXCEPTIONS
#define __CL_ENABLE_EXCEPTIONS
#endif
#include <CL/cl.hpp>

// The meaning of an error code: "Out of resources".
char* ocl_decode_error(int code);

// Reads a file into memory from new[]; returns its size. If it cannot be read, prints why and
// returns 0 and a null pointer.
int ocl_read_binary(const char* filename, char*& buffer);

// Prints how long a command was queued, submitted and running, in microseconds.
void ocl_event_times(const cl::Event& ev, const char* name);

// Prints `name` and when the command was queued, submitted, started and ended, in microseconds
// after `reference` (in nanoseconds).
void ocl_relative_times(const cl::Event& ev, const char* name, cl_ulong reference);

#endif  // __cplusplus

#endif  // CONCLAVE_TI_OCL_UTIL_H_
