// SPDX-License-Identifier: Apache-2.0
// Failures of graphs and their array as the exceptions that XRT throws for them.
#ifndef CONCLAVE_XRT_COREUTIL_GRAPH_ERROR_H_
#define CONCLAVE_XRT_COREUTIL_GRAPH_ERROR_H_

#include <string>

#include "xrt/xrt_conclave.h"
#include "xrt/xrt_exception.h"

namespace xrt {

// Throws xrt_core::error with the text of the calling thread's last call of the C interface.
[[noreturn]] inline void fail_on_graph(int result, const std::string& what) {
  const std::string why = xclConclaveErrorText();
  throw xrt_core::error(result, why.empty() ? what : what + ": " + why);
}

// `result` comes from a function that returns a negative errno on failure.
inline void check_graph(int result, const char* what) {
  if (result < 0) fail_on_graph(result, what);
}

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_GRAPH_ERROR_H_
