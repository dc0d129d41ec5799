// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_CACHE_H_
#define CONCLAVE_MONITOR_CACHE_H_

namespace conclave::monitor {

// The cache of built programs that processes started here and now would use. Each prints, for
// programs with `json`, and returns the exit status: 1 where there is no cache that can be used.

// Shows where it is, how full, and what is in it.
int show_cache(bool json);
// Reads all of it and removes what is damaged, which gives exit status 1 too.
int check_cache(bool json);
// Removes all of it.
int clear_cache(bool json);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_CACHE_H_
