// SPDX-License-Identifier: Apache-2.0
// Commands that move or set memory. All of them work on host addresses: device memory is host
// memory.
#ifndef CONCLAVE_PLATFORM_EXEC_MEMORY_COMMANDS_H_
#define CONCLAVE_PLATFORM_EXEC_MEMORY_COMMANDS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "platform/base/checked_size.h"
#include "platform/base/object.h"
#include "platform/exec/command.h"
#include "platform/model/memory.h"

namespace conclave {

// A box of bytes in memory: `base` is the address of its first byte, pitches are in bytes.
struct Box {
  std::byte* base;
  size_t row_pitch;
  size_t slice_pitch;
};

// The bytes from a box's base to the end of a region of region[0] bytes x region[1] rows x
// region[2] slices, none of them 0.
inline CheckedSize box_bytes(size_t row_pitch, size_t slice_pitch, const size_t region[3]) {
  return CheckedSize(region[2] - 1) * slice_pitch + CheckedSize(region[1] - 1) * row_pitch +
         region[0];
}
// Throws Error{CL_INVALID_VALUE} if the host's memory would wrap around the end of the address
// space.
inline void check_host_range(const void* host, CheckedSize bytes) {
  require((bytes + reinterpret_cast<uintptr_t>(host)).fits(), CL_INVALID_VALUE,
          "pitches, origin and region lead beyond the end of all memory");
}

// Copies `size` bytes. `keep` are the objects that must live until it is done.
std::unique_ptr<Command> make_copy(const std::byte* from, std::byte* to, size_t size,
                                   std::vector<Ref<Memory>> keep);

// Copies a region of region[0] bytes x region[1] rows x region[2] slices between two boxes.
std::unique_ptr<Command> make_rect_copy(const Box& from, const Box& to, const size_t region[3],
                                        std::vector<Ref<Memory>> keep);

// Repeats a pattern of `pattern_size` bytes (copied) over `size` bytes.
std::unique_ptr<Command> make_fill(const void* pattern, size_t pattern_size, std::byte* to,
                                   size_t size, std::vector<Ref<Memory>> keep);

// Repeats a pattern as above over region[0] bytes x region[1] rows x region[2] slices of a box.
std::unique_ptr<Command> make_rect_fill(const void* pattern, size_t pattern_size, const Box& to,
                                        const size_t region[3], std::vector<Ref<Memory>> keep);

// Calls a host function (native kernels, unmapping).
std::unique_ptr<Command> make_host_call(std::function<void()> function,
                                        std::vector<Ref<Memory>> keep);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_MEMORY_COMMANDS_H_
