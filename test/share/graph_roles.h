// SPDX-License-Identifier: Apache-2.0
// Processes that use graphs and streams, and do as they are told, step by step.
#ifndef CONCLAVE_TEST_SHARE_GRAPH_ROLES_H_
#define CONCLAVE_TEST_SHARE_GRAPH_ROLES_H_

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "test/common/worker_process.h"
#include "xrt/xrt_device.h"
#include "xrt_error_of.h"

namespace conclave::test {

// Role "graphs": each line is a step, and is answered by "0" or the errno of the exception.
//   load [FILE]                 the xclbin, by default the one that all tests use
//   graph NAME MODE             opens it: exclusive, primary, shared; "close" closes it
//   array MODE                  opens the array, once more; "noarray" lets go of it
//   reset, run N, wait MS, cycles N, suspend, resume, end N, timestamp
//   update PORT INT, update_nb PORT INT; read PORT, read_nb PORT: answered by "= INT"
//   fill PORT BYTES VALUE       updates all bytes; filled PORT BYTES: reads them, "= VALUE"
//   context                     opens an OpenCL context
//   start KERNEL FIRST N        starts a kernel that writes or, with a buffer, reads a stream
//   finish MS                   the state of the run (4: completed, 5: failed, 8: not yet)
//   clstart KERNEL FIRST N, clfinish: the same from OpenCL; answered by the event's status
//   check FIRST N               "0" where the buffer has these numbers
//   array MODE                  opens the array; "array close" closes it
//   send PORT FIRST N, receive PORT N: starts it; "moved" waits until it is done
//   cpu                         microseconds of CPU time that the process has used
//   leave                       main() returns
// Besides those of graph_hostile_roles.h and hostile_roles.h.
const std::map<std::string, Role>& graph_roles();

// The files of the xclbins; the second has all on compute unit 0, the third has ports of the host.
std::string graph_xclbin_file();
std::string one_unit_xclbin_file();
std::string gmio_xclbin_file();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_GRAPH_ROLES_H_
