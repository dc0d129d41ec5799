// SPDX-License-Identifier: Apache-2.0
// The bytes of a buffer that other processes can have too, by a file descriptor. It consists of
// whole pages, and behind them a memfd of sealed size, so that nobody who has it can make another
// process's accesses fault.
#ifndef CONCLAVE_PLATFORM_MODEL_SHARED_STORAGE_H_
#define CONCLAVE_PLATFORM_MODEL_SHARED_STORAGE_H_

#include <cstddef>

#include "platform/base/descriptor.h"

namespace conclave {

class SharedStorage {
 public:
  // `size` bytes, all 0, for this process alone until somebody asks for the descriptor. Throws
  // Error{CL_MEM_OBJECT_ALLOCATION_FAILURE}.
  explicit SharedStorage(size_t size);
  // The storage behind another process's descriptor, which stays the caller's. Throws
  // Error{CL_INVALID_VALUE, EINVAL} (EBADF, EACCES, EPERM if the system says so) for everything but
  // writable memory of sealed size.
  static SharedStorage import(int descriptor);
  ~SharedStorage();
  SharedStorage(SharedStorage&& other) noexcept;
  SharedStorage(const SharedStorage&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  bool is_imported() const { return imported_; }
  bool is_shared() const { return static_cast<bool>(descriptor_); }

  // Puts a memfd behind the bytes, at the same addresses, if there is none yet. What is written
  // meanwhile may be lost, so nothing may use the bytes. Throws Error{CL_OUT_OF_RESOURCES} with the
  // system's errno.
  void share();
  // A new descriptor of shared storage, for another process. Throws likewise.
  int new_descriptor() const;

 private:
  SharedStorage() = default;

  std::byte* data_ = nullptr;
  size_t size_ = 0;
  bool imported_ = false;
  Descriptor descriptor_;  // none: not shared
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_SHARED_STORAGE_H_
