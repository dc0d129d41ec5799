// SPDX-License-Identifier: Apache-2.0
// Memory that a kernel works in, between two ranges that nobody can access. An access a little
// beyond its ends is a fault and does not change the host's data.
#ifndef CONCLAVE_PLATFORM_EXEC_GUARDED_BLOCK_H_
#define CONCLAVE_PLATFORM_EXEC_GUARDED_BLOCK_H_

#include <cstddef>

namespace conclave {

class GuardedBlock {
 public:
  static constexpr size_t kGuardBytes = 64 << 10;

  GuardedBlock() = default;
  ~GuardedBlock() { release(); }
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;

  // At least that many bytes, aligned to a page. The former content is lost if the block has to
  // grow. Throws Error{CL_OUT_OF_RESOURCES}; the block is then empty.
  std::byte* at_least(size_t bytes) {
    if (bytes > size_) [[unlikely]]
      grow(bytes);
    return memory_;
  }

 private:
  void grow(size_t bytes);
  void release();

  std::byte* memory_ = nullptr;  // between the guards
  size_t size_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_GUARDED_BLOCK_H_
