// SPDX-License-Identifier: Apache-2.0
// `clocl --for-cache`: a build that outlives the process which has ordered it. The next process that
// wants the code finds it in the disk cache.
#ifndef CONCLAVE_COMPILER_DRIVER_CACHE_BUILD_H_
#define CONCLAVE_COMPILER_DRIVER_CACHE_BUILD_H_

namespace conclave::compiler {

// Reads a protocol::CacheOrder from the file at descriptor 3, builds, and stores the answer, unless
// somebody else has done so or is about to. Returns the exit status of the program: 0 if the cache
// has the answer or will have it.
int build_for_cache();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_CACHE_BUILD_H_
