// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_MODEL_SPECIALIZED_CODE_H_
#define CONCLAVE_PLATFORM_MODEL_SPECIALIZED_CODE_H_

#include <cstddef>
#include <memory>

#include "conclave/kernel_abi.h"
#include "platform/loader/program_binary.h"

namespace conclave {

// A kernel's code for launches of one kind. If the kind has a size, it is for work-groups of
// exactly this size.
struct SpecializedCode {
  std::shared_ptr<const LoadedCode> code;  // owns function
  abi::GroupFunction function;
  size_t spill_bytes;  // per work-item
  bool has_size;
  unsigned lanes;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_SPECIALIZED_CODE_H_
