// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_USER_CACHE_DIR_H_
#define CONCLAVE_PLATFORM_BASE_USER_CACHE_DIR_H_

#include <functional>
#include <string>

namespace conclave {

// Where a user's programs keep what can be made again: $XDG_CACHE_HOME/conclave, else
// ~/.cache/conclave. "" if there is no home; then nothing is kept. `getenv` returns the value of a
// variable, or null.
std::string user_cache_dir(const std::function<const char*(const char*)>& getenv);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_USER_CACHE_DIR_H_
