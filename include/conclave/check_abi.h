// SPDX-License-Identifier: Apache-2.0
// This is how checked kernels (build option -cl-conclave-check) and the runtime talk to each other.
//
// The compiler emits comparisons before accesses, which approve most of them: it compares with the
// bounds of the memory, and with its shadow memory. If a comparison fails, the code calls `access`
// for each access of each work-item, which looks closely.
//
// Shadow memory has one byte for each byte of a buffer, 0xff if it has been written. It also has
// tags, which tell who has accessed a granule last. All accesses of a kernel are multiples of a
// granule. A tag holds, from the highest bit on,
//  - for global memory: the launch (19 bits) and the barriers that the group has passed (12 bits);
//  - for local memory: the number of the group's stretch between two barriers (31 bits);
//  - the work-item (32 bits): its linear global id, or kManyItems.
//
// So every tag that is older than a launch, or a stretch, is less than that one's least tag.
#ifndef CONCLAVE_CHECK_ABI_H_
#define CONCLAVE_CHECK_ABI_H_

#include <cstdint>

namespace conclave::abi {

struct Launch;

inline constexpr uint32_t kItemMask = 0x7fffffff;
inline constexpr uint32_t kManyItems = 0xffffffff;
// These bits mark the item of a tag. In a writer's tag kAtomicItem says that it wrote by an atomic
// operation. In a readers' tag kItemsOfGroup says that the readers are all of one group, and that
// the other bits are the group's number.
inline constexpr uint32_t kAtomicItem = 0x80000000;
inline constexpr uint32_t kItemsOfGroup = 0x80000000;
inline constexpr uint32_t kTagItemBits = 32;
inline constexpr uint32_t kTagIntervalBits = 12;
inline constexpr uint64_t kNextTag = uint64_t{1} << kTagItemBits;
inline constexpr uint64_t kMaxGranule = 8;

// An atomic operation writes; atomic loads, and reads of `volatile` values, are atomic reads.
enum class CheckedAccess : uint8_t {
  kRead,
  kWrite,
  kAtomic,
  kAtomicRead,
  kPrivateBounds,
  kPrivateRead
};
enum class CheckedSpace : uint8_t { kGlobal, kLocal, kPrivate, kUnknown };

// This constant of the program describes one place in the source where memory is accessed.
struct CheckSite {
  uint32_t line;  // 0: not known
  uint32_t column;
  uint32_t bytes;  // 0: as many as the call says
  uint32_t alignment;
  uint32_t granule;  // of the tags; 0: none
  CheckedAccess access;
  CheckedSpace space;
  bool is_vector;    // some of its elements may not matter to the program
  bool is_partial;   // a vector that is read in order to replace some of its elements
  int32_t argument;  // number of the kernel's argument, or -1
  char text[4];      // kernel, file and variable, each with a 0 behind
};

// This describes memory whose bounds the code knows.
struct CheckedMemory {
  uint64_t base;
  uint64_t size;
  uint64_t init;  // shadow of `base`; 0: everything has been written
  // The tags of `base`, one uint64_t for each granule; 0 if nobody looks for races.
  uint64_t writers;
  uint64_t readers;
};

// Each thread that runs work-groups of a launch has one of these for checking.
struct CheckUnit {
  // Looks closely at an access of `bytes` bytes at `address`, which the code expects in [base, base
  // + size). For a write of up to 8 bytes, `value` is what it writes. Returns where the access must
  // happen instead: `address`, or memory that nobody uses.
  uint64_t (*access)(CheckUnit* unit, const CheckSite* site, uint64_t base, uint64_t size,
                     uint64_t address, uint64_t bytes, uint64_t value, uint64_t x, uint64_t y,
                     uint64_t z);
  // Called before each stretch between barriers that a group runs; `region` 0 is the first.
  void (*begin_region)(CheckUnit* unit, uint32_t region);
  // Called when two neighbouring work-items take different ways: the one at (x, y, z) has come to
  // the barrier `region` (1, 2, ...) or to the kernel's end (-1), and the one before it has come to
  // `before`.
  void (*diverge)(CheckUnit* unit, const CheckSite* site, uint32_t before, uint32_t region,
                  uint64_t x, uint64_t y, uint64_t z);

  uint64_t local_memory;           // where it begins; set by the code
  const CheckedMemory* arguments;  // one for each of the kernel; {} for what is no memory
  uint64_t local_writers;          // the tags of all local memory
  uint64_t local_readers;
  uint64_t launch_tag;  // the least tag of the launch
  uint64_t tag;         // that of the stretch, without the work-item
  uint64_t group_tag;   // of local memory: the least of the group
  uint64_t local_tag;   // of local memory: that of the stretch
  uint32_t reached;     // what the previous work-item has come to; kNowhere
  uint32_t has_diverged;
};
inline constexpr uint32_t kNowhere = 0;

}  // namespace conclave::abi

#endif  // CONCLAVE_CHECK_ABI_H_
