// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_MONITOR_CLIENTS_H_
#define CONCLAVE_TEST_MONITOR_CLIENTS_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// The roles of processes that use the shared segment as the platform does, without kernels.
const std::map<std::string, Role>& client_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_MONITOR_CLIENTS_H_
