// SPDX-License-Identifier: Apache-2.0
// The access modes of several users together. It counts the users of each, so the modes of all but
// one user are known without looking at everybody.
#ifndef CONCLAVE_MONITOR_MODE_TOTALS_H_
#define CONCLAVE_MONITOR_MODE_TOTALS_H_

#include <array>
#include <cstdint>

#include "platform/share/open_modes.h"

namespace conclave::monitor {

class ModeTotals {
 public:
  void add(const share::OpenModes& modes) { count(modes, 1); }
  void remove(const share::OpenModes& modes) { count(modes, -1); }
  share::OpenModes modes() const;

  // All modes of the array, and none of any graph.
  static share::OpenModes array_alone();

 private:
  void count(const share::OpenModes& modes, int sign);

  int all_ = 0;
  std::array<std::array<int, share::kThingsWithModes>, 3> users_{};  // by mode
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_MODE_TOTALS_H_
