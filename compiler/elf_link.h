// SPDX-License-Identifier: Apache-2.0
// Links object code and the parts of a program binary to a shared object.
#ifndef CONCLAVE_COMPILER_ELF_LINK_H_
#define CONCLAVE_COMPILER_ELF_LINK_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// `code` is an object file, `image` the result of write_image(). May be called once per process:
// lld keeps state. Throws BuildError with the linker's messages.
std::string link_executable(std::string_view code, std::string_view image);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_ELF_LINK_H_
