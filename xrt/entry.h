// SPDX-License-Identifier: Apache-2.0
// What the entry points of XRT's interface share: they turn handles into objects, and exceptions
// into errno.
#ifndef CONCLAVE_XRT_ENTRY_H_
#define CONCLAVE_XRT_ENTRY_H_

#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "platform/base/error.h"
#include "xrt/xcl_device.h"

namespace conclave::xrt {

// The open handles of one kind. A call keeps its object alive, so another thread may close it.
template <class T>
class OpenHandles {
 public:
  // `what`: the kind, for messages.
  explicit OpenHandles(const char* what) : what_(what) {}

  void* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    void* handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // Throws Error{ENODEV}.
  std::shared_ptr<T> find(void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      throw Error(CL_INVALID_DEVICE, std::string("not an open ") + what_ + " handle", ENODEV);
    return found->second;
  }
  void remove(void* handle) {
    const std::lock_guard lock(mutex_);
    objects_.erase(handle);
  }

 private:
  const char* const what_;
  mutable std::mutex mutex_;
  std::map<void*, std::shared_ptr<T>> objects_;
};

OpenHandles<XclDevice>& open_devices();

// The mode of a number of xclConclaveAccessMode. Throws Error{EINVAL} for other numbers.
share::AccessMode mode_of(unsigned int mode);

// Throws Error{ENODEV} in a child of a process that has used the device.
void require_no_fork();

// Keeps the error of the calling thread's last call, and logs it. Returns the negative errno.
int note_failure(const char* function, const std::exception& error) noexcept;
const char* last_error_text();

// Runs the body of an entry point: 0 or a negative errno.
template <class Body>
int run_body(const char* function, Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    return note_failure(function, error);
  }
}

// The same, but also sets errno, for functions that return handles and addresses.
template <class Body>
int guarded(const char* function, Body&& body) noexcept {
  const int result = run_body(function, body);
  if (result < 0) errno = -result;
  return result;
}

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_ENTRY_H_
