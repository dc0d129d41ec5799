// SPDX-License-Identifier: Apache-2.0
// `clocl --warm-server`: the compile server that all processes of a user ask where ti-mctd runs.
//
// It listens at a path in a directory of the user and answers this user only, over a connection for
// each request (conclave/compile_protocol.h). What every build needs is initialised already: the
// server has built a small program in its own process. A spare process, forked from it, has done so
// too, since a new process touches its memory for the first time, and waits for the next request.
#ifndef CONCLAVE_COMPILER_DRIVER_WARM_SERVER_H_
#define CONCLAVE_COMPILER_DRIVER_WARM_SERVER_H_

#include <sys/types.h>

#include <string>

namespace conclave::compiler {

// Listens at `path` and then closes the control socket, which tells the process that started it. Serves
// until the process `daemon` ends or nothing was asked for ten minutes. Returns the exit status: 0
// also if another server has the path.
int serve_user(const std::string& path, pid_t daemon);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_WARM_SERVER_H_
