// SPDX-License-Identifier: Apache-2.0
// xrt::ini: settings by the program itself, in place of xrt.ini.
#ifndef CONCLAVE_XRT_XRT_INI_H_
#define CONCLAVE_XRT_XRT_INI_H_

#include <string>

#include "xrt.h"

namespace xrt {
namespace ini {

// Sets a key, "section.key", for this process: "Runtime.multiprocess" to "false" lets it have the
// device alone. Other keys concern XRT's hardware and mean nothing here. Before the first use of
// the device; throws system_error(EBUSY) after, system_error(EINVAL) for a value that is none of
// the key's.
XCL_DRIVER_DLLESPEC void set(const std::string& key, const std::string& value);
// The same for numbers and truth values (0 or 1).
XCL_DRIVER_DLLESPEC void set(const std::string& key, unsigned int value);

}  // namespace ini
}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_INI_H_
