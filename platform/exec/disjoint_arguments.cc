// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/disjoint_arguments.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>

#include "platform/model/memory.h"

namespace conclave {
namespace {

struct Range {
  const std::byte* begin;
  const std::byte* end;
};

}  // namespace

bool has_disjoint_arguments(const Kernel& kernel, const KernelInfo& info) {
  boost::container::small_vector<Range, 8> ranges;
  size_t shared = 0;
  for (size_t i = 0; i < kernel.arguments().size(); ++i) {
    const Kernel::Argument& argument = kernel.arguments()[i];
    if (info.arguments[i].kind != ArgumentKind::kPointer) continue;
    if (argument.address) return false;
    Memory* memory = Memory::from(argument.memory);
    if (!memory) continue;
    shared += memory->whole().shared_storage() != nullptr;
    ranges.push_back({memory->data(), memory->data() + memory->size()});
  }
  if (shared > 1) return false;
  std::ranges::sort(ranges, {}, &Range::begin);
  return std::ranges::adjacent_find(ranges, [](const Range& a, const Range& b) {
           return b.begin < a.end;
         }) == ranges.end();
}

}  // namespace conclave
