// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_BASE_VERSION_H_
#define CONCLAVE_COMPILER_BASE_VERSION_H_

#include <llvm/Config/llvm-config.h>

#include <string>

namespace conclave::compiler {

// "conclave 26.11 / LLVM 19.1.7"
inline std::string compiler_version() {
  return "conclave " CONCLAVE_VERSION " / LLVM " LLVM_VERSION_STRING;
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_VERSION_H_
