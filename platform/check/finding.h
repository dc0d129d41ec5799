// SPDX-License-Identifier: Apache-2.0
// One mistake that a kernel made, as text and as JSON.
#ifndef CONCLAVE_PLATFORM_CHECK_FINDING_H_
#define CONCLAVE_PLATFORM_CHECK_FINDING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "conclave/check_abi.h"

namespace conclave::check {

using Triple = std::array<uint64_t, 3>;

enum class FindingKind {
  kOutOfBounds,
  kUseAfterRelease,
  kMisaligned,
  kUninitialized,
  kDataRace,
  kBarrierDivergence,
};

// A work-item by its ids.
struct WorkItem {
  Triple global_id, local_id, group_id;
};

struct Finding {
  FindingKind kind;
  std::string kernel, file;
  uint32_t line = 0, column = 0;
  WorkItem item;
  std::string access;  // "read", "write", "atomic operation"; "" if there is none
  uint64_t bytes = 0;
  std::string memory;  // "argument 'out'", "local variable 'tile'"
  std::optional<int64_t> offset;
  std::optional<uint64_t> size;  // of the memory
  std::string detail;            // what else is known, a sentence without its period
  std::optional<Triple> other;   // global id of the other work-item of a race
};

const char* name_of(FindingKind kind);
std::string to_text(const Finding& finding);
// One line.
std::string to_json(const Finding& finding);

}  // namespace conclave::check

#endif  // CONCLAVE_PLATFORM_CHECK_FINDING_H_
