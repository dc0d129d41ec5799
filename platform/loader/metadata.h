// SPDX-License-Identifier: Apache-2.0
// Reads the JSON text in a program binary that describes its kernels (conclave/metadata.def), and
// checks all of it: the text may be anybody's. The compiler reads its inputs with the same code.
#ifndef CONCLAVE_PLATFORM_LOADER_METADATA_H_
#define CONCLAVE_PLATFORM_LOADER_METADATA_H_

#include <stdexcept>
#include <string_view>

#include "conclave/metadata.h"

namespace conclave {

class MetadataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws MetadataError, with a text such as "metadata: kernels[2].name is missing", for the first
// key that is missing, unknown, of the wrong type, out of range or in contradiction to another one.
ProgramInfo parse_metadata(std::string_view json);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_METADATA_H_
