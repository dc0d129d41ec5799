// SPDX-License-Identifier: Apache-2.0
#include "platform/model/shared_storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "platform/base/checked_size.h"
#include "platform/base/error.h"

namespace conclave {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
// From this size on huge pages save more than they may waste.
constexpr size_t kLarge = 4u << 20;

[[noreturn]] void fail(cl_int code, const std::string& what, int error_number) {
  throw Error(code, what + ": " + std::strerror(error_number), error_number);
}

// Whole pages; 0 if the number does not fit into size_t.
size_t mapped_bytes(size_t size) {
  const CheckedSize rounded = CheckedSize(size).aligned(static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  return rounded.fits() ? rounded.saturated() : 0;
}

void* map(size_t size, void* place, int descriptor) {
  const int flags =
      (descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | (place ? MAP_FIXED : 0);
  return mmap(place, mapped_bytes(size), PROT_READ | PROT_WRITE, flags, descriptor, 0);
}

}  // namespace

SharedStorage::SharedStorage(size_t size) : size_(size) {
  void* memory = mapped_bytes(size) ? map(size, nullptr, -1) : MAP_FAILED;
  if (memory == MAP_FAILED)
    throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                "no memory for a buffer object of " + std::to_string(size) + " bytes");
  if (size >= kLarge) madvise(memory, mapped_bytes(size), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

SharedStorage SharedStorage::import(int descriptor) {
  const std::string name = "descriptor " + std::to_string(descriptor);
  SharedStorage storage;
  storage.imported_ = true;
  storage.descriptor_ = Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
  if (!storage.descriptor_) fail(CL_INVALID_VALUE, name, errno);
  const int own = storage.descriptor_.get();  // which nobody replaces between two of these steps
  struct stat status;
  if (fstat(own, &status) != 0) fail(CL_INVALID_VALUE, name, errno);
  const int seals = S_ISREG(status.st_mode) ? fcntl(own, F_GET_SEALS) : -1;
  if (seals < 0)
    throw Error(CL_INVALID_VALUE, name + " is not that of a shared buffer: it has no seals",
                EINVAL);
  if (!(seals & F_SEAL_SHRINK))
    throw Error(CL_INVALID_VALUE,
                name + " is of memory that may shrink: accesses to it could fault", EINVAL);
  if (status.st_size <= 0) throw Error(CL_INVALID_VALUE, name + " is of 0 bytes", EINVAL);
  storage.size_ = static_cast<size_t>(status.st_size);
  void* memory = map(storage.size_, nullptr, own);
  if (memory == MAP_FAILED) fail(CL_INVALID_VALUE, name + " cannot be mapped", errno);
  storage.data_ = static_cast<std::byte*>(memory);
  return storage;
}

SharedStorage::SharedStorage(SharedStorage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      imported_(other.imported_),
      descriptor_(std::move(other.descriptor_)) {}

SharedStorage::~SharedStorage() {
  if (data_) munmap(data_, mapped_bytes(size_));
}

void SharedStorage::share() {
  if (is_shared()) return;
  const std::string what = "a buffer of " + std::to_string(size_) + " bytes cannot be shared";
  Descriptor memory(memfd_create("conclave-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ftruncate(memory.get(), static_cast<off_t>(size_)) != 0 ||
      !write_file(memory.get(), data_, size_) ||
      fcntl(memory.get(), F_ADD_SEALS, kSizeSeals | F_SEAL_SEAL) != 0 ||
      map(size_, data_, memory.get()) == MAP_FAILED)
    fail(CL_OUT_OF_RESOURCES, what, errno);
  descriptor_ = std::move(memory);
}

int SharedStorage::new_descriptor() const {
  if (!descriptor_.is_ours()) fail(CL_OUT_OF_RESOURCES, "a buffer's descriptor", EBADF);
  const int descriptor = fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0) fail(CL_OUT_OF_RESOURCES, "no descriptor for a buffer", errno);
  return descriptor;
}

}  // namespace conclave
