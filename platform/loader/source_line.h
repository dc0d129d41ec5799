// SPDX-License-Identifier: Apache-2.0
// Lines of the source, from the debug information of an ELF file.
#ifndef CONCLAVE_PLATFORM_LOADER_SOURCE_LINE_H_
#define CONCLAVE_PLATFORM_LOADER_SOURCE_LINE_H_

#include <cstdint>
#include <string>

namespace conclave {

// "file.cl:12" for an address of the file `descriptor`; "" if the file does not tell, or if libdw
// (Debian: libdw1), which reads it, is not installed.
std::string source_line(int descriptor, uint64_t address);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_SOURCE_LINE_H_
