// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_BASE_BUILTIN_NAME_H_
#define CONCLAVE_COMPILER_BASE_BUILTIN_NAME_H_

#include <llvm/ADT/StringRef.h>

namespace conclave::compiler {

// "_Z5clampfff" -> "clamp"; other names stay.
inline llvm::StringRef base_name(llvm::StringRef name) {
  llvm::StringRef rest = name;
  size_t length = 0;
  if (rest.consume_front("_Z") && !rest.consumeInteger(10, length) && length <= rest.size())
    return rest.substr(0, length);
  return name;
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_BUILTIN_NAME_H_
