// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_CACHE_H_
#define CONCLAVE_MONITOR_CACHE_H_

namespace conclave::monitor {

// The cache of built programs that processes started here and now would use. Each function prints,
// with `json` for programs, and returns the exit status: 1 if no cache can be used.

// Shows where it is, how full it is, and its content.
int show_cache(bool json);
// Reads all of it and removes damaged entries; the exit status is 1 for these too.
int check_cache(bool json);
// Removes all of it.
int clear_cache(bool json);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_CACHE_H_
