// SPDX-License-Identifier: Apache-2.0
// `clocl --server`: answers compile requests (conclave/compile_protocol.h).
#ifndef CONCLAVE_COMPILER_DRIVER_SERVER_H_
#define CONCLAVE_COMPILER_DRIVER_SERVER_H_

namespace conclave::compiler {

// Serves until the control socket is closed or nothing was asked for a minute. Returns the exit
// status.
int serve();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_SERVER_H_
