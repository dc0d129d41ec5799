// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/environment_limits.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compiler/driver/command_line.h"
#include "platform/base/host_memory.h"

namespace conclave::compiler {
namespace {

constexpr uint32_t kDefaultSeconds = 600;

uint64_t variable(const char* name, uint64_t otherwise) {
  const char* value = getenv(name);
  if (!value) return otherwise;
  const std::string_view text = value;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0)
    throw UsageError(std::string(name) + ": '" + value + "' is no number above 0");
  return number;
}

}  // namespace

BuildLimits environment_limits() {
  return {.memory_mib = variable("CONCLAVE_COMPILE_MEMORY_MIB", (host_memory() >> 20) / 2),
          .cpu_seconds = variable("CONCLAVE_COMPILE_TIMEOUT_S", kDefaultSeconds)};
}

}  // namespace conclave::compiler
