// SPDX-License-Identifier: Apache-2.0
// Entry points of optional features that the device does not have, if they do more than return
// CL_INVALID_OPERATION (dispatch.cc makes those): queries and releases of objects that cannot
// exist, and pure queries.
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

[[noreturn]] void no_such_object(cl_int code, const char* what) {
  throw Error(code, std::string("there can be no ") + what + ": the device does not support them");
}

}  // namespace

extern "C" {

// --- Pipes ---

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem handle, cl_pipe_info, size_t, void*, size_t*) {
  return guarded(__func__, [&] {
    memory(handle);
    no_such_object(CL_INVALID_MEM_OBJECT, "pipes");
  });
}

// --- Program-scope constructors ---

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program handle,
                                                            void(CL_CALLBACK*)(cl_program, void*),
                                                            void*) {
  return guarded(__func__, [&] {
    program(handle);
    throw Error(CL_INVALID_OPERATION, "the device has no program-scope constructors");
  });
}

}  // extern "C"
