// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_OWNED_H_
#define CONCLAVE_PLATFORM_BASE_OWNED_H_

#include <utility>

#include "platform/base/object.h"

namespace conclave {

// The host's handle of an object of the model, released by the destructor.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* fresh) : object_(fresh) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_) object_->release_handle();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_OWNED_H_
