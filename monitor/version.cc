// SPDX-License-Identifier: Apache-2.0
#include "monitor/version.h"

#include <conclave_commit.h>

namespace conclave::monitor {

std::string version_text(const std::string& tool) {
  return tool + " (Conclave) " CONCLAVE_VERSION ", commit " CONCLAVE_COMMIT;
}

}  // namespace conclave::monitor
