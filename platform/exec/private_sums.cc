// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/private_sums.h"

#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "conclave/kernel_abi.h"
#include "platform/base/align.h"
#include "platform/exec/command.h"
#include "platform/exec/disjoint_arguments.h"
#include "platform/model/memory.h"

namespace conclave {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kMostBytes = 64 << 10;  // of all sums of a launch

// What it takes to add up one line of one compute unit.
constexpr uint64_t kAddLineNs = 100;

constexpr uint64_t kLeastGroupsPerUnit = 4;

// Adds `count` integers of one compute unit to those of the launch, which other launches may be
// adding to.
template <class Integer>
void add(std::byte* to, const std::byte* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Integer more;
    std::memcpy(&more, from + i * sizeof more, sizeof more);
    if (more == 0) continue;
    std::atomic_ref(*reinterpret_cast<Integer*>(to + i * sizeof more))
        .fetch_add(more, std::memory_order_relaxed);
  }
}

// Adds the integers of one compute unit to those of another.
template <class Integer>
void join(std::byte* to, const std::byte* from, size_t count) {
  auto* sums = reinterpret_cast<Integer*>(to);
  const auto* more = reinterpret_cast<const Integer*>(from);
  for (size_t i = 0; i < count; ++i) sums[i] += more[i];
}

bool may_be_read_otherwise(const Kernel& kernel, const KernelInfo& info) {
  for (size_t i = 0; i < kernel.arguments().size(); ++i) {
    Memory* memory = Memory::from(kernel.arguments()[i].memory);
    if (!memory) continue;
    const bool is_image_of_buffer =
        info.arguments[i].kind != ArgumentKind::kPointer && memory->parent();
    if (is_image_of_buffer || memory->whole().shared_storage()) return true;
  }
  return !has_disjoint_arguments(kernel, info);
}

}  // namespace

std::unique_ptr<PrivateSums> PrivateSums::make(const Kernel& kernel, const KernelInfo& info,
                                               size_t compute_units, uint64_t work_groups,
                                               uint64_t ns) {
  if (compute_units < 2 || ns == Command::kUnknown || info.gang || info.keeps_order ||
      info.calls_native || work_groups / compute_units < kLeastGroupsPerUnit)
    return nullptr;
  std::vector<Sum> sums;
  const size_t arguments_bytes = kernel.block().size();
  size_t bytes = align_up(arguments_bytes, abi::kBlockAlignment);
  const size_t before = bytes;
  for (size_t i = 0; i < info.arguments.size(); ++i) {
    const ArgumentInfo& argument = info.arguments[i];
    if (argument.sum_bytes != 4 && argument.sum_bytes != 8) continue;
    const Memory* memory = Memory::from(kernel.arguments()[i].memory);
    if (!memory || memory->size() > kMostBytes ||
        reinterpret_cast<uintptr_t>(memory->data()) % argument.sum_bytes != 0)
      continue;
    sums.push_back({memory->data(), memory->size(), argument.sum_bytes, argument.offset, bytes});
    bytes += align_up(memory->size(), kLineBytes);
  }
  const uint64_t lines = (bytes - before) / kLineBytes;
  if (sums.empty() || bytes - before > kMostBytes ||
      ns / compute_units < compute_units * lines * kAddLineNs ||
      may_be_read_otherwise(kernel, info))
    return nullptr;
  return std::unique_ptr<PrivateSums>(new PrivateSums(
      std::move(sums), arguments_bytes, align_up(bytes, abi::kBlockAlignment), compute_units));
}

PrivateSums::PrivateSums(std::vector<Sum> sums, size_t arguments_bytes, size_t unit_bytes,
                         size_t compute_units)
    : sums_(std::move(sums)),
      arguments_bytes_(arguments_bytes),
      unit_bytes_(unit_bytes),
      memory_(static_cast<std::byte*>(
          std::aligned_alloc(abi::kBlockAlignment, unit_bytes * compute_units))),
      blocks_(compute_units) {
  if (!memory_) throw std::bad_alloc();
}

const void* PrivateSums::arguments(size_t compute_unit, const std::byte* block) noexcept {
  std::byte*& own = blocks_[compute_unit];
  if (own) return own;
  own = memory_.get() + compute_unit * unit_bytes_;
  std::memset(own, 0, unit_bytes_);
  std::memcpy(own, block, arguments_bytes_);
  for (const Sum& sum : sums_) {
    std::byte* place = own + sum.place;
    std::memcpy(own + sum.argument, &place, sizeof place);
  }
  return own;
}

void PrivateSums::add_up() noexcept {
  std::byte* first = nullptr;
  for (std::byte* block : blocks_) {
    if (!block) continue;
    if (!first) {
      first = block;
      continue;
    }
    for (const Sum& sum : sums_) {
      const auto join_sums = sum.integer_bytes == 4 ? join<uint32_t> : join<uint64_t>;
      join_sums(first + sum.place, block + sum.place, sum.bytes / sum.integer_bytes);
    }
  }
  if (!first) return;
  for (const Sum& sum : sums_) {
    const auto add_sums = sum.integer_bytes == 4 ? add<uint32_t> : add<uint64_t>;
    add_sums(sum.memory, first + sum.place, sum.bytes / sum.integer_bytes);
  }
}

}  // namespace conclave
