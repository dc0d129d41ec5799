// SPDX-License-Identifier: Apache-2.0
// What compiled code calls for an access that its comparisons cannot approve.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "platform/check/checked_launch.h"
#include "platform/check/race_check.h"

namespace conclave::check {
namespace {

using abi::CheckedAccess;
using abi::CheckedSpace;
using abi::CheckSite;

// An access of one work-item.
class Look {
 public:
  Look(Unit& unit, const CheckSite& site, uint64_t address, uint64_t bytes, const Triple& id)
      : unit_(unit), site_(site), address_(address), bytes_(bytes), id_(id) {}

  uint64_t access(uint64_t base, uint64_t size, uint64_t value) {
    base_ = base;
    size_ = size;
    if (site_.access == CheckedAccess::kPrivateBounds) return refuse(FindingKind::kOutOfBounds);
    if (site_.access == CheckedAccess::kPrivateRead) return refuse(FindingKind::kUninitialized);
    is_local_ = site_.space == CheckedSpace::kLocal;
    if (bytes_ == 0) return address_;
    if (base == 0 && size == 0 && site_.argument < 0) {
      if (auto answer = locate()) return *answer;
    }
    const uint64_t offset = address_ - base_;
    if (offset > size_ || bytes_ > size_ - offset)
      return is_before_address() ? address_ : refuse(FindingKind::kOutOfBounds);
    if (site_.alignment > 1 && offset % site_.alignment != 0)
      return refuse(FindingKind::kMisaligned);
    check_shadow(value);
    return address_;
  }

  void divergence(uint32_t before, uint32_t region) {
    const auto name = [](uint32_t at) {
      return at == UINT32_MAX ? std::string("the kernel's end") : "barrier " + std::to_string(at);
    };
    report(FindingKind::kBarrierDivergence, "this work-item has come to " + name(region) +
                                                ", others of its group to " + name(before));
  }

 private:
  uint64_t refuse(FindingKind kind) {
    report(kind, "");
    unit_.nowhere.fill(0);  // what earlier ones have written there; reads give 0
    return reinterpret_cast<uint64_t>(unit_.nowhere.data());
  }

  // Whether the access is to what lies before an address that the host gave.
  bool is_before_address() const {
    if (site_.argument < 0) return false;
    const CheckedArgument& argument =
        unit_.checked->arguments()[static_cast<size_t>(site_.argument)];
    if (argument.kind != CheckedArgument::Kind::kAddress) return false;
    if (argument.object_size == 0) return is_programs_own();
    const uint64_t offset = address_ - argument.object;
    return offset <= argument.object_size && bytes_ <= argument.object_size - offset;
  }

  // Finds out what lies at an address if the code does not tell. Returns an answer if that ends the
  // look.
  std::optional<uint64_t> locate() {
    if (address_ - unit_.local_memory < unit_.local_bytes) {
      base_ = unit_.local_memory;
      size_ = unit_.local_bytes;
      is_local_ = true;
      return std::nullopt;
    }
    ShadowMemory& shadow = ShadowMemory::get();
    if (auto allocation = shadow.find(address_)) {
      base_ = allocation->base();
      size_ = allocation->size();
      if (site_.access == CheckedAccess::kWrite) allocation->mark_written(address_, bytes_);
      return std::nullopt;
    }
    if (const size_t size = shadow.find_released(address_, base_)) {
      size_ = size;
      return refuse(FindingKind::kUseAfterRelease);
    }
    if (is_programs_own()) return address_;
    base_ = 0;
    return refuse(FindingKind::kOutOfBounds);
  }

  // Whether there is any other memory at the address: variables of the program and of work-items,
  // heaps and scratch memory of the device, memory objects from before checking began.
  bool is_programs_own() const {
    char byte;
    const iovec to{&byte, 1};
    const iovec from{reinterpret_cast<void*>(address_), 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
  }

  uint32_t linear_id() const {
    const abi::Launch& launch = unit_.checked->launch();
    uint64_t linear = 0;
    for (int d = 2; d >= 0; --d)
      linear = linear * launch.global_size[d] + (id_[d] - launch.global_offset[d]);
    return static_cast<uint32_t>(linear) & abi::kItemMask;
  }

  Triple id_of(uint32_t linear) const {
    const abi::Launch& launch = unit_.checked->launch();
    Triple id;
    uint64_t rest = linear;
    for (int d = 0; d < 3; ++d) {
      id[d] = rest % launch.global_size[d] + launch.global_offset[d];
      rest /= launch.global_size[d];
    }
    return id;
  }

  void check_shadow(uint64_t value) {
    TagRange tags{};
    if (is_local_) {
      if (site_.granule == 0) return;
      tags = tags_at(unit_.local_writers, unit_.local_readers, address_ - unit_.local_memory);
    } else if (site_.argument >= 0) {
      const abi::CheckedMemory& memory = unit_.checked->memory(static_cast<size_t>(site_.argument));
      if (memory.init) check_written(memory.init + (address_ - base_));
      if (!memory.writers) return;
      tags = tags_at(memory.writers, memory.readers, address_ - base_);
    } else {
      return;
    }
    if (is_local_ && site_.access != CheckedAccess::kWrite) check_local_written(tags);
    check_races(tags, value);
  }

  TagRange tags_at(uint64_t writers, uint64_t readers, uint64_t offset) const {
    const uint64_t granule = site_.granule;
    const uint64_t first = offset / granule;
    const uint64_t behind = (offset + bytes_ + granule - 1) / granule;
    const auto at = [&](uint64_t tags) { return reinterpret_cast<uint64_t*>(tags) + first; };
    return {at(writers), at(readers), behind - first};
  }

  // Elements of vectors may be unused; numbers have no such bytes.
  void doubt_reading(uint64_t written, uint64_t all) {
    const bool is_good = site_.is_partial || (site_.is_vector ? written > 0 : written == all);
    if (!is_good) report(FindingKind::kUninitialized, "");
  }

  void check_written(uint64_t shadow) {
    auto* begin = reinterpret_cast<unsigned char*>(shadow);
    if (site_.access == CheckedAccess::kWrite)
      std::memset(begin, 0xff, bytes_);
    else
      doubt_reading(static_cast<uint64_t>(std::count(begin, begin + bytes_, 0xff)), bytes_);
    if (site_.access == CheckedAccess::kAtomic) std::memset(begin, 0xff, bytes_);
  }

  void check_local_written(const TagRange& tags) {
    doubt_reading(
        static_cast<uint64_t>(std::count_if(tags.writers, tags.writers + tags.count,
                                            [&](uint64_t tag) { return tag >= unit_.group_tag; })),
        tags.count);
  }

  bool has_value() const {
    return site_.access == CheckedAccess::kWrite && !site_.is_vector && site_.bytes != 0 &&
           site_.bytes <= sizeof(uint64_t);
  }

  void check_races(const TagRange& tags, uint64_t value) {
    const RaceCheck check(unit_, is_local_, linear_id(), site_.access);
    const std::optional<Race> race = check.find(tags);
    auto* memory = reinterpret_cast<void*>(address_);
    // Work-items that write the same value do no harm.
    const bool is_harmless =
        race && race->other_writes && has_value() && std::memcmp(memory, &value, bytes_) == 0;
    if (race && !is_harmless && unit_.checked->looks_for_races(is_local_)) report_race(*race);
    check.note(tags);
    // The next work-item of the packet must find the value there.
    if (has_value()) std::memcpy(memory, &value, bytes_);
  }

  void report_race(const Race& race) {
    std::string other = race.other_writes ? "written" : "read";
    other = "without a barrier in between, it was " + other + " by ";
    if (!race.other) return report(FindingKind::kDataRace, other + "other work-items");
    other_ = id_of(*race.other);
    report(FindingKind::kDataRace, other + "work-item (" + std::to_string((*other_)[0]) + "," +
                                       std::to_string((*other_)[1]) + "," +
                                       std::to_string((*other_)[2]) + ")");
  }

  WorkItem item() const {
    const abi::Launch& launch = unit_.checked->launch();
    WorkItem item{id_, {}, {}};
    for (size_t d = 0; d < 3; ++d) {
      const uint64_t id = id_[d] - launch.global_offset[d];
      item.group_id[d] = id / launch.local_size[d];
      item.local_id[d] = id % launch.local_size[d];
    }
    return item;
  }

  std::string memory_name() const {
    const char* kernel = site_.text;
    const char* file = kernel + std::strlen(kernel) + 1;
    const std::string variable = file + std::strlen(file) + 1;
    if (site_.argument >= 0)
      return "argument '" + unit_.checked->arguments()[static_cast<size_t>(site_.argument)].name +
             "'";
    const char* what = site_.space == CheckedSpace::kPrivate ? "private variable"
                       : site_.space == CheckedSpace::kLocal ? "local variable"
                                                             : "variable";
    if (!variable.empty()) return std::string(what) + " '" + variable + "'";
    if (site_.space == CheckedSpace::kPrivate) return "a private variable";
    if (is_local_) return "local memory";
    return base_ ? "a buffer" : "no memory object";
  }

  const char* access_name() const {
    switch (site_.access) {
      case CheckedAccess::kWrite:
        return "write";
      case CheckedAccess::kAtomic:
        return "atomic operation";
      case CheckedAccess::kPrivateBounds:
        return site_.is_vector ? "write" : "read";  // a store
      default:
        return "read";
    }
  }

  void report(FindingKind kind, const std::string& detail) {
    Findings& findings = Findings::get();
    if (!findings.is_new(kind, site_)) return;
    Finding finding;
    finding.kind = kind;
    finding.kernel = site_.text;
    finding.file = site_.text + finding.kernel.size() + 1;
    finding.line = site_.line;
    finding.column = site_.column;
    finding.item = item();
    finding.detail = detail;
    finding.other = other_;
    if (kind != FindingKind::kBarrierDivergence) {
      finding.access = access_name();
      finding.bytes = site_.bytes ? site_.bytes : bytes_;
      finding.memory = memory_name();
      if (base_ || size_) {
        finding.offset = static_cast<int64_t>(address_ - base_);
        finding.size = size_;
      }
    }
    findings.report(finding, unit_.checked->notify());
  }

  Unit& unit_;
  const CheckSite& site_;
  const uint64_t address_;
  const uint64_t bytes_;
  const Triple id_;
  uint64_t base_ = 0, size_ = 0;
  bool is_local_ = false;
  std::optional<Triple> other_;
};

}  // namespace

uint64_t look_closely(abi::CheckUnit* unit, const CheckSite* site, uint64_t base, uint64_t size,
                      uint64_t address, uint64_t bytes, uint64_t value, uint64_t x, uint64_t y,
                      uint64_t z) {
  return Look(*static_cast<Unit*>(unit), *site, address, bytes, {x, y, z})
      .access(base, size, value);
}

void report_divergence(abi::CheckUnit* unit, const CheckSite* site, uint32_t before,
                       uint32_t region, uint64_t x, uint64_t y, uint64_t z) {
  // The other work-items of the group say nothing new.
  if (std::exchange(unit->has_diverged, 1) != 0) return;
  Look(*static_cast<Unit*>(unit), *site, 0, 0, {x, y, z}).divergence(before, region);
}

}  // namespace conclave::check
