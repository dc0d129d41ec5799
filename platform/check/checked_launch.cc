// SPDX-License-Identifier: Apache-2.0
#include "platform/check/checked_launch.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "platform/base/thread_exit.h"

namespace conclave::check {
namespace {

constexpr unsigned kLaunchShift = abi::kTagItemBits + abi::kTagIntervalBits;
constexpr uint64_t kMostLaunches = uint64_t{1} << (63 - kLaunchShift);
constexpr uint64_t kMostStretches = uint64_t{1} << (63 - abi::kTagItemBits);
constexpr uint64_t kIntervalMask = ((uint64_t{1} << abi::kTagIntervalBits) - 1)
                                   << abi::kTagItemBits;

// Numbers repeat after half a million launches; hardly a tag is that old.
uint64_t next_launch_tag() {
  static std::atomic<uint64_t> launches{0};
  return (launches.fetch_add(1, std::memory_order_relaxed) % (kMostLaunches - 1) + 1)
         << kLaunchShift;
}

void begin_stretch(Unit& unit) {
  if (++unit.stretch == kMostStretches) {
    unit.writers->clear();
    unit.readers->clear();
    unit.stretch = 1;
  }
  unit.local_tag = unit.stretch << abi::kTagItemBits;
  unit.reached = abi::kNowhere;
}

void begin_region(abi::CheckUnit* self, uint32_t region) {
  auto& unit = *static_cast<Unit*>(self);
  begin_stretch(unit);
  if (region == 0) {
    unit.group_tag = unit.local_tag;
    unit.tag = unit.launch_tag;
    unit.has_diverged = 0;
  } else {
    unit.tag = unit.launch_tag | ((unit.tag + abi::kNextTag) & kIntervalMask);
  }
}

void provide_local_tags(Unit& unit, uint64_t granule) {
  const size_t bytes = granule ? (unit.local_bytes / granule + 16) * sizeof(uint64_t) : 0;
  if (!unit.writers || unit.writers->size() < bytes) {
    unit.writers = std::make_unique<ZeroedMemory>(bytes);
    unit.readers = std::make_unique<ZeroedMemory>(bytes);
  }
  unit.local_writers = unit.writers->address();
  unit.local_readers = unit.readers->address();
}

// Lives as long as its thread runs kernels: the main thread may do so in destructors of static objects,
// when its thread-local variables are destroyed already.
Unit& unit_of_thread() {
  struct OfThread {
    Unit unit;
    ThreadExit exit;
  };
  static constinit thread_local OfThread* mine = nullptr;
  if (!mine) {
    auto made = std::make_unique<OfThread>();
    made->exit.run = [] { delete std::exchange(mine, nullptr); };
    if (!at_thread_exit(made->exit)) throw std::bad_alloc();
    mine = made.release();
  }
  return mine->unit;
}

}  // namespace

CheckedLaunch::CheckedLaunch(const abi::Launch& launch, std::vector<CheckedArgument> arguments,
                             Granules granules, Notify notify)
    : launch_(launch),
      arguments_(std::move(arguments)),
      granules_(granules),
      notify_(std::move(notify)),
      memory_(arguments_.size()) {}

abi::CheckUnit* CheckedLaunch::unit(size_t local_bytes) {
  std::call_once(begun_, [this] { begin(); });
  Unit& unit = unit_of_thread();
  unit.access = look_closely;
  unit.begin_region = begin_region;
  unit.diverge = report_divergence;
  unit.arguments = memory_.data();
  unit.launch_tag = unit.tag = tag_;
  unit.checked = this;
  unit.local_bytes = local_bytes;
  provide_local_tags(unit, granules_.local);
  begin_stretch(unit);
  unit.group_tag = unit.local_tag;
  unit.has_diverged = 0;
  return &unit;
}

void CheckedArgument::set_address(const void* pointer) {
  kind = Kind::kAddress;
  base = reinterpret_cast<uint64_t>(pointer);
  const auto allocation = ShadowMemory::get().find(base);
  object = allocation ? allocation->base() : 0;
  object_size = allocation ? allocation->size() : 0;
  size = (allocation ? object + object_size : UINT64_MAX) - base;
}

void CheckedLaunch::begin() {
  tag_ = next_launch_tag();
  for (size_t i = 0; i < arguments_.size(); ++i) begin_argument(i);
}

// Arguments may name one memory object, or parts of one.
bool CheckedLaunch::may_race(size_t index) const {
  const CheckedArgument& argument = arguments_[index];
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const CheckedArgument& other) {
    const bool is_written = other.use == 'w' || other.use == 'b';
    return is_written && argument.base < other.base + other.size &&
           other.base < argument.base + argument.size;
  });
}

void CheckedLaunch::begin_argument(size_t index) {
  const CheckedArgument& argument = arguments_[index];
  abi::CheckedMemory& memory = memory_[index];
  memory.base = argument.base;
  memory.size = argument.size;
  const bool is_memory = argument.kind == CheckedArgument::Kind::kMemory ||
                         argument.kind == CheckedArgument::Kind::kImage ||
                         argument.kind == CheckedArgument::Kind::kAddress;
  if (!is_memory || argument.object_size == 0) return;
  ShadowMemory& shadow = ShadowMemory::get();
  auto allocation = shadow.find(argument.object);
  if (!allocation || allocation->base() != argument.object)
    allocation = shadow.add(argument.object, argument.object_size, /*is_written=*/true);
  allocations_.push_back(allocation);
  if (argument.kind == CheckedArgument::Kind::kImage)
    return allocation->mark_written(argument.object, argument.object_size);
  const uint64_t distance = argument.base - argument.object;
  if (const uint64_t written = allocation->written_shadow()) memory.init = written + distance;
  if (granules_.global == 0 || distance % granules_.global != 0 || !may_race(index)) return;
  tags_.push_back(allocation->tags(granules_.global));
  const uint64_t tags = distance / granules_.global * sizeof(uint64_t);
  memory.writers = tags_.back()->writers.address() + tags;
  memory.readers = tags_.back()->readers.address() + tags;
}

}  // namespace conclave::check
