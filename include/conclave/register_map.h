// SPDX-License-Identifier: Apache-2.0
// The registers of a kernel's compute units, as the packets of xclExecBuf() write them.
//
//   0x00  control; 0x04 to 0x0c are reserved
//   0x10  the arguments in their order, each at a multiple of 4 and followed by a reserved word:
//         4 bytes each for values of up to 4 bytes and for local memory (its size), 8 for
//         pointers (the address of a buffer object), else the value's size, a multiple of 4
//   then  global size and local size, three words each; a size of 0 means 1, or what
//         reqd_work_group_size says
//
// AMD's high-level synthesis gives kernels the same map, without the sizes.
#ifndef CONCLAVE_REGISTER_MAP_H_
#define CONCLAVE_REGISTER_MAP_H_

#include <cstdint>

namespace conclave::binary {

class RegisterMap {
 public:
  static constexpr uint32_t kFirst = 0x10;

  // The offset of the next argument, whose value has `bytes`.
  uint32_t next(uint64_t bytes) {
    const uint32_t offset = end_;
    end_ += width(bytes) + 4;
    return offset;
  }
  // The number of bytes that an argument takes.
  static uint32_t width(uint64_t bytes) { return static_cast<uint32_t>((bytes + 3) / 4 * 4); }
  // The place of the sizes, after the last argument.
  uint32_t global_size() const { return end_; }
  uint32_t local_size() const { return end_ + 12; }

 private:
  uint32_t end_ = kFirst;
};

}  // namespace conclave::binary

#endif  // CONCLAVE_REGISTER_MAP_H_
