// SPDX-License-Identifier: Apache-2.0
// What the processes of graph_hostile_test.cc do.
#ifndef CONCLAVE_TEST_SHARE_GRAPH_HOSTILE_ROLES_H_
#define CONCLAVE_TEST_SHARE_GRAPH_HOSTILE_ROLES_H_

#include <map>
#include <memory>
#include <string>

#include "platform/loader/xclbin.h"
#include "test/common/worker_process.h"

namespace conclave::test {

//   graph-user SEED        runs graphs and streams until stopped or until a kernel of a stream does
//                          not end; counts what has come to an end, or to an error, by `progress`
//   graph-vandal SEED NAME attacks the graphs of the segment NAME until stopped (graph_vandal.h);
//                          counts the attacks by `progress`
const std::map<std::string, Role>& graph_hostile_roles();

// That of graph_xclbin_file().
std::shared_ptr<const Xclbin> graph_xclbin();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_GRAPH_HOSTILE_ROLES_H_
