// SPDX-License-Identifier: Apache-2.0
// Modules of SPIR-V as clCreateProgramWithIL() gets them, a SpecId before them: they are read, or
// refused with a reason, and hints are taken out of them, nulls replaced and shuffles evened, without damage.
#include <cstring>

#include "compiler/frontend/spirv_hints.h"
#include "compiler/frontend/spirv_shuffles.h"
#include "compiler/frontend/spirv_zeros.h"
#include "platform/base/error.h"
#include "platform/loader/spirv_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  uint32_t id = 0;
  if (size < sizeof id) return 0;
  std::memcpy(&id, data, sizeof id);
  const std::string bytes(reinterpret_cast<const char*>(data) + sizeof id, size - sizeof id);
  try {
    SpirvModule module(bytes);
    const uint64_t value = ~uint64_t{0};
    for (const size_t value_size : {1, 2, 4, 8}) {
      try {
        module.specialize(id, value_size, &value);
      } catch (const Error& error) {
        if (error.code() != CL_INVALID_SPEC_ID && error.code() != CL_INVALID_VALUE)
          __builtin_trap();
      }
    }
    const std::string specialized = module.specialized();
    if (specialized.size() != bytes.size()) __builtin_trap();
    const std::string plain = compiler::without_hints(specialized);
    if (compiler::without_hints(plain) != plain) __builtin_trap();
    const std::string zeros = compiler::with_zeros_for_nulls(plain);
    if (compiler::with_zeros_for_nulls(zeros) != zeros) __builtin_trap();
    const SpirvModule again(compiler::with_even_shuffles(zeros));
  } catch (const Error& error) {
    if (error.code() != CL_INVALID_VALUE || error.text().empty()) __builtin_trap();
  }
  compiler::without_hints(bytes);
  compiler::with_zeros_for_nulls(bytes);
  compiler::with_even_shuffles(bytes);
  return 0;
}
