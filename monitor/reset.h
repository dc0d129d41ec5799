// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_RESET_H_
#define CONCLAVE_MONITOR_RESET_H_

#include <cstdint>
#include <string>

namespace conclave::monitor {

struct ResetOptions {
  std::string segment;  // "": the one that processes of this user find
  bool all = false;     // living processes too
  uint32_t pid = 0;     // only this process, living or dead; 0: see above
  bool yes = false;     // without a question
  bool json = false;
};

// Takes what dead processes have left behind, or what living ones have, and gives it to those who
// wait. Returns the exit status.
int reset(const ResetOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_RESET_H_
