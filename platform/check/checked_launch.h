// SPDX-License-Identifier: Apache-2.0
// What a launch of a kernel with checks has: the memory behind its arguments, and an abi::CheckUnit
// for each thread that runs its work-groups.
#ifndef CONCLAVE_PLATFORM_CHECK_CHECKED_LAUNCH_H_
#define CONCLAVE_PLATFORM_CHECK_CHECKED_LAUNCH_H_

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conclave/check_abi.h"
#include "conclave/kernel_abi.h"
#include "platform/check/findings.h"
#include "platform/check/shadow_memory.h"

namespace conclave::check {

struct CheckedArgument {
  // kAddress: the host gave an address, from which the kernel may access all of the allocation that
  // contains it, or anything in the host's own memory (an object of size 0).
  enum class Kind { kNone, kMemory, kLocal, kImage, kAddress };
  Kind kind = Kind::kNone;
  std::string name;
  char use = '-';       // KernelInfo::check_uses
  uint64_t base = 0;    // what the kernel gets
  uint64_t size = 0;    // behind that address
  uint64_t object = 0;  // the memory object that contains it
  uint64_t object_size = 0;

  // Makes it one of kind kAddress.
  void set_address(const void* pointer);
};

class CheckedLaunch {
 public:
  struct Granules {
    uint64_t global = 0, local = 0;
    bool has_races = true;  // whether races in local memory are looked for
  };
  CheckedLaunch(const abi::Launch& launch, std::vector<CheckedArgument> arguments,
                Granules granules, Notify notify);

  // The unit of the calling thread. The first call is when the launch begins.
  abi::CheckUnit* unit(size_t local_bytes);

  const abi::Launch& launch() const { return launch_; }
  const std::vector<CheckedArgument>& arguments() const { return arguments_; }
  const abi::CheckedMemory& memory(size_t argument) const { return memory_[argument]; }
  const Notify& notify() const { return notify_; }
  bool looks_for_races(bool is_local) const { return !is_local || granules_.has_races; }

 private:
  void begin();
  void begin_argument(size_t index);
  bool may_race(size_t index) const;

  const abi::Launch& launch_;
  const std::vector<CheckedArgument> arguments_;
  const Granules granules_;
  const Notify notify_;
  std::once_flag begun_;
  uint64_t tag_ = 0;
  std::vector<abi::CheckedMemory> memory_;
  std::vector<std::shared_ptr<Allocation>> allocations_;
  std::vector<std::shared_ptr<Tags>> tags_;
};

// The unit of a thread; it serves one launch after the other.
struct Unit : abi::CheckUnit {
  const CheckedLaunch* checked = nullptr;
  size_t local_bytes = 0;
  uint64_t stretch = 0;                            // between two barriers, of any group
  std::unique_ptr<ZeroedMemory> writers, readers;  // of local memory
  // The place for accesses that must not happen where the program wants them. Only copies are larger.
  alignas(128) std::array<char, 4096> nowhere;
};

// abi::CheckUnit's functions.
uint64_t look_closely(abi::CheckUnit* unit, const abi::CheckSite* site, uint64_t base,
                      uint64_t size, uint64_t address, uint64_t bytes, uint64_t value, uint64_t x,
                      uint64_t y, uint64_t z);
void report_divergence(abi::CheckUnit* unit, const abi::CheckSite* site, uint32_t before,
                       uint32_t region, uint64_t x, uint64_t y, uint64_t z);

}  // namespace conclave::check

#endif  // CONCLAVE_PLATFORM_CHECK_CHECKED_LAUNCH_H_
