// SPDX-License-Identifier: Apache-2.0
// The name of a request's answer in the cache.
#ifndef CONCLAVE_PLATFORM_LOADER_COMPILE_KEY_H_
#define CONCLAVE_PLATFORM_LOADER_COMPILE_KEY_H_

#include <string>

#include "conclave/compile_protocol.h"

namespace conclave {

// 32 hex digits that differ for requests that `compiler`, the path of the compiler, may answer
// differently on this machine; empty if the compiler is not there. Files that the source includes
// are not part of it.
std::string compile_key(const protocol::Request& request, const std::string& compiler);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_COMPILE_KEY_H_
