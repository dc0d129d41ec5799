// SPDX-License-Identifier: Apache-2.0
// The extensions that platform and device report, and the functions that they add.
#ifndef CONCLAVE_ICD_EXTENSIONS_H_
#define CONCLAVE_ICD_EXTENSIONS_H_

#include <CL/cl.h>

#include <string>
#include <vector>

namespace conclave::icd {

const std::vector<cl_name_version>& platform_extensions();
const std::vector<cl_name_version>& device_extensions();
// The names, separated by blanks.
std::string extension_string(const std::vector<cl_name_version>& extensions);

// Name and version, as the *_WITH_VERSION queries give them.
cl_name_version name_version(const char* name, cl_version version);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_EXTENSIONS_H_
