// SPDX-License-Identifier: Apache-2.0
// Modules of SPIR-V as clCreateProgramWithIL() gets them, a SpecId before them: they are read, or
// refused with a reason, and changed for the translator without damage.
#include <cstring>

#include "compiler/frontend/spirv_clock.h"
#include "compiler/frontend/spirv_composites.h"
#include "compiler/frontend/spirv_extensions.h"
#include "compiler/frontend/spirv_hints.h"
#include "compiler/frontend/spirv_modes.h"
#include "compiler/frontend/spirv_pointers.h"
#include "compiler/frontend/spirv_shuffles.h"
#include "compiler/frontend/spirv_zeros.h"
#include "platform/base/error.h"
#include "platform/loader/spirv_module.h"

// What the compiler does to modules before it gives them to others.
struct Change {
  std::string (*change)(std::string_view);
  bool is_final;  // it leaves nothing to change a second time
};
constexpr Change kChanges[] = {
    {conclave::compiler::without_hints, true},
    {conclave::compiler::with_clock_calls, true},
    {conclave::compiler::without_debug_info, true},
    {conclave::compiler::with_plain_modes, true},
    {conclave::compiler::with_zeros_for_nulls, true},
    {conclave::compiler::without_unknown_extensions, true},
    {conclave::compiler::with_even_shuffles, false},
    {conclave::compiler::with_simple_composites, false},
    {conclave::compiler::with_simple_pointers, false},
};

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
    for (const auto& [change, is_final] : kChanges) {
      const std::string once = change(specialized);
      const SpirvModule again(once);
      if (is_final && change(once) != once) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.code() != CL_INVALID_VALUE || error.text().empty()) __builtin_trap();
  }
  for (const Change& change : kChanges) change.change(bytes);
  return 0;
}
