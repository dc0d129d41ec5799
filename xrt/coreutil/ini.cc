// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_ini.h"

#include "xrt/coreutil/failure.h"
#include "xrt/xrt_conclave.h"

namespace xrt {
namespace ini {

void set(const std::string& key, const std::string& value) {
  check(xclConclaveSetIni(key.c_str(), value.c_str()), "failed to set a key of xrt.ini");
}

void set(const std::string& key, unsigned int value) {
  set(key, std::to_string(value));
}

}  // namespace ini
}  // namespace xrt
