// SPDX-License-Identifier: Apache-2.0
// How the runtime calls compiled kernels. The compiler emits code that reads these structures, the
// runtime fills them; both include this file, and kAbiVersion changes with every change of layout.
#ifndef CONCLAVE_KERNEL_ABI_H_
#define CONCLAVE_KERNEL_ABI_H_

#include <cstdint>

namespace conclave::abi {

inline constexpr uint32_t kAbiVersion = 6;

// Alignment of the argument block, of local memory and of the spill area: that of the widest OpenCL
// type (double16, long16).
inline constexpr uint64_t kBlockAlignment = 128;

inline constexpr uint64_t kUnitAccessBytes = 64;

// Describes one value passed to printf. `kind` is one of the letters below; a vector of `count`
// elements of `element_size` bytes (a 3-component vector occupies four). Values lie one after the
// other, each starting at a multiple of 8 bytes. The descriptor list ends with kind 0.
struct PrintArgument {
  char kind;             // 'i' integer, 'f' floating point, 'p' pointer or string
  uint8_t element_size;  // bytes: 1, 2, 4 or 8
  uint8_t count;         // 1, 2, 3, 4, 8 or 16
  uint8_t reserved;
};

struct CheckUnit;

// Launch::facts.
// No two memory objects that the arguments lead to overlap (KernelInfo::asks_if_disjoint).
inline constexpr uint32_t kIsDisjoint = 1;
// Where the kernel only adds (ArgumentInfo::sum_bytes), its arguments lead to memory that no other
// compute unit accesses.
inline constexpr uint32_t kHasPrivateSums = 2;

// What all work-groups of one ND-range share; constant while it runs.
struct Launch {
  uint64_t global_offset[3];
  uint64_t global_size[3];
  uint64_t local_size[3];  // enqueued local size; the last group of a dimension may be smaller
  uint64_t num_groups[3];
  // Formats and emits one printf call of a kernel. Returns what OpenCL C's printf returns.
  int32_t (*print)(const Launch* launch, const char* format, const PrintArgument* descriptors,
                   const void* values);
  uint32_t work_dim;
  uint32_t facts;  // bits that are set if something is known to be true, above
  // Gives checked code (check_abi.h) what it needs on the calling thread; null for all other code.
  CheckUnit* (*check)(const Launch* launch);
};

// The addresses of a work-group's memory. Everything outside these ranges is global memory. Private
// memory is in the spill area and on the stack: from the stack pointer to stack_end.
struct AddressRanges {
  uint64_t local_begin, local_end;
  uint64_t spill_begin, spill_end;
  uint64_t stack_end;
};

// What kernels ask of the compute unit that they run on (device_calls.def).
enum class DeviceCall : uint32_t {
#define CONCLAVE_DEVICE_CALL(name) name,
#include "conclave/device_calls.def"
#undef CONCLAVE_DEVICE_CALL
};

struct UnitAccess {
  uint64_t (*call)(void* unit, DeviceCall call, uint64_t a, uint64_t b, uint64_t c);
  void* unit;            // for `call`
  uint32_t number;       // of the compute unit in the device
  uint32_t list_number;  // among those that the process uses
};

// One end of a stream, as its kernel sees it: a pipe argument points to this. The kernel moves
// packets while `position` plus their size is at most `limit`, and otherwise calls kStreamWait.
struct Stream {
  uint64_t position;  // bytes that have been moved
  uint64_t limit;     // bytes that may be moved
  void* buffer;       // byte n of the stream is at n & mask
  uint64_t mask;
};

// What a pipe argument points to in other kernels: the beginning of a pipe (compiler/builtins/pipe.cl).
// `capacity` numbers of 64 bits follow, the turns of the places, and then the packets.
struct Pipe {
  uint64_t capacity;  // packets
  uint64_t packet_bytes;
  uint64_t written, read;  // packets that have been reserved for it
};

// The memory of the compute unit that runs a work-group; the next work-group overwrites it.
struct Workspace {
  // The kernel's static local bytes, then the local arguments. kBlockAlignment bytes before it lies
  // an AddressRanges, kUnitAccessBytes before it a UnitAccess.
  void* local_memory;
  void* spill;  // values live across barriers: spill bytes per work-item x work-items
  // The code writes this when it begins with a group, or with several side by side: how many of the
  // `count` groups of its call are left, including these. So a fault can be attributed to a group.
  mutable uint64_t groups_left;
};

// How to read r, g, b and a (0 to 3) from an element, seen as up to four words of 32 bits.
// Everything is 0 for a channel that is not stored.
struct ImageChannels {
  // For channels narrower than 32 bits:
  //   field = ((word 0 >> shift) & low_mask) | ((word 1 >> shift) & high_mask)
  // The field is normalized by `unit` if the type is; `sign` is its sign's bit.
  uint32_t shift[4];
  uint32_t low_mask[4];
  uint32_t high_mask[4];
  uint32_t sign[4];
  float unit[4];
  // For channels of 32 bits: all bits are set in the word that holds the channel. The own word of b
  // is 2, that of a is 3.
  uint32_t in_word_0[4];
  uint32_t in_word_1[4];
  uint32_t in_own_word[4];
  uint32_t alpha_is_one;  // all bits are set if alpha is neither stored nor read as 0
  uint32_t reserved;
};

// What an image argument points to; constant while a launch runs. Sizes are in elements, pitches in
// bytes. A dimension that the image's type does not have has size 1; an array's layers are its
// slices. `data` is the address of element 0.
struct Image {
  void* data;
  uint64_t row_pitch;
  uint64_t slice_pitch;  // of a 3-D image or an array: from one slice to the next
  uint32_t width;
  uint32_t height;
  uint32_t depth;              // of a 3-D image
  uint32_t array_size;         // of an array
  uint32_t channel_order;      // CL_R, CL_RGBA, ... of cl.h
  uint32_t channel_data_type;  // CL_UNORM_INT8, ... of cl.h
  uint32_t element_size;       // bytes
  uint32_t reserved;
  ImageChannels channels;
};

// A sampler argument is 4 bytes with the meaning of a sampler literal of OpenCL C: the sum of one
// value of each kind. The values are those of CLK_NORMALIZED_COORDS_*, CLK_ADDRESS_* and
// CLK_FILTER_*.
inline constexpr uint32_t kSamplerNormalized = 1;
inline constexpr uint32_t kSamplerAddressNone = 0;
inline constexpr uint32_t kSamplerAddressClampToEdge = 2;
inline constexpr uint32_t kSamplerAddressClamp = 4;
inline constexpr uint32_t kSamplerAddressRepeat = 6;
inline constexpr uint32_t kSamplerAddressMirroredRepeat = 8;
inline constexpr uint32_t kSamplerFilterNearest = 0x10;
inline constexpr uint32_t kSamplerFilterLinear = 0x20;

// `stack_end`: the part of the calling thread's stack above it is not the kernel's.
inline AddressRanges address_ranges(const Workspace& workspace, uint64_t local_bytes,
                                    uint64_t spill_bytes, const void* stack_end) {
  const auto local = reinterpret_cast<uint64_t>(workspace.local_memory);
  const auto spill = reinterpret_cast<uint64_t>(workspace.spill);
  return {local, local + local_bytes, spill, spill + spill_bytes,
          reinterpret_cast<uint64_t>(stack_end)};
}

// A compiled kernel: runs `count` work-groups, beginning with linear group index `first` (dimension
// 0 varies fastest). `arguments` is the argument block, with each argument at its metadata offset.
// A local-memory pointer is passed as a uint64_t byte offset from Workspace::local_memory, an image
// as the address of an Image, a sampler as its 4 bytes.
using GroupFunction = void (*)(const Launch* launch, const void* arguments,
                               const Workspace* workspace, uint64_t first, uint64_t count);

}  // namespace conclave::abi

#endif  // CONCLAVE_KERNEL_ABI_H_
