// SPDX-License-Identifier: Apache-2.0
// Links object code and the parts of a program binary to a shared object.
#ifndef CONCLAVE_COMPILER_BINARY_ELF_LINK_H_
#define CONCLAVE_COMPILER_BINARY_ELF_LINK_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/native/native_code.h"

namespace conclave::compiler {

// `objects` are object files with code, `parts` is the result of write_binary(), `native` is the C
// code that they may use. May be called once per process: lld keeps state. Throws BuildError with
// the linker's messages.
std::string link_executable(const std::vector<std::string>& objects, std::string_view parts,
                            const NativeCode& native);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_ELF_LINK_H_
