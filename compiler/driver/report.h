// SPDX-License-Identifier: Apache-2.0
// The vectorizer's remarks as people and programs read them.
#ifndef CONCLAVE_COMPILER_DRIVER_REPORT_H_
#define CONCLAVE_COMPILER_DRIVER_REPORT_H_

#include <string>
#include <vector>

#include "compiler/vectorizer/analysis/remarks.h"

namespace conclave::compiler {

// For a build log, one line each: "program.cl:3:14: remark: kernel 'k': load of 4 bytes: gather".
std::string remarks_for_log(const std::vector<KernelRemarks>& kernels);

// The text of `clocl --report`: kernel by kernel, part by part.
std::string report_text(const std::vector<KernelRemarks>& kernels);

// The text of `clocl --report=json`: an array of kernels with their parts.
std::string report_json(const std::vector<KernelRemarks>& kernels);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_REPORT_H_
