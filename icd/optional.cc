// SPDX-License-Identifier: Apache-2.0
// Entry points of optional features that the device does not have, if they do more than return
// CL_INVALID_OPERATION (dispatch.cc makes those): queries and releases of objects that cannot
// exist, and pure queries.
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

extern "C" {

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
