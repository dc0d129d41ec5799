// SPDX-License-Identifier: Apache-2.0
// What the linking of programs with C code takes besides that of others.
#ifndef CONCLAVE_COMPILER_NATIVE_NATIVE_LINK_H_
#define CONCLAVE_COMPILER_NATIVE_NATIVE_LINK_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/native/native_code.h"

namespace conclave::compiler {

// Nothing of C code is visible outside of a program but what the platform asks for.
std::string_view native_version_script();

// The shared libraries whose functions `native` may use, as paths on this machine. Throws
// BuildError where one is missing.
std::vector<std::string> native_libraries(const NativeCode& native);

// Throws BuildError naming every symbol that a linked program needs and none of its libraries has.
void check_undefined(std::string_view program, const NativeCode& native);

// The linker's messages with the names of objects for the file that holds them all.
std::string name_objects(std::string messages, const std::string& archive_path);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_NATIVE_NATIVE_LINK_H_
