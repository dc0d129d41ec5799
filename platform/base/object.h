// SPDX-License-Identifier: Apache-2.0
// The base of every OpenCL object: what a cl_context, cl_mem and so on point to.
//
// The first member is the loader's dispatch table, as cl_khr_icd demands. The second is the
// loader's own data by version 2.0 of that extension. So no class derived from Object may have
// virtual functions. There are two counts. `handles` counts the host program's references
// (clRetain*, clRelease*); all handles together hold one of the internal references. An object
// whose handles are all released lives on as long as another object or a command needs it. A host
// that reaches it through that one (the context of a queue) may use it and even retain it again.
#ifndef CONCLAVE_PLATFORM_BASE_OBJECT_H_
#define CONCLAVE_PLATFORM_BASE_OBJECT_H_

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "platform/base/pool.h"

namespace conclave {

// The table of our entry points; defined in icd/dispatch.cc.
extern const cl_icd_dispatch kDispatch;

// The data that the loader gave to clIcdSetPlatformDispatchDataKHR; every object carries it.
inline std::atomic<void*> loader_data{nullptr};

// Handle type of each class; specialised beside the class.
template <class T>
struct HandleOf;

template <class T>
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // A new object has one handle, which its clCreate* returns, and one reference for it.
  using Handle = typename HandleOf<T>::Type;
  Handle handle() { return reinterpret_cast<Handle>(static_cast<T*>(this)); }

  // The object behind a handle; null if the handle is null, belongs to another kind of object, or
  // to one that is gone. (A pointer that never was an object of ours cannot be recognised.)
  static T* from(Handle handle) {
    auto* object = reinterpret_cast<T*>(handle);
    if (!object || object->magic_.load(std::memory_order_relaxed) != T::kMagic) return nullptr;
    return object;
  }

  void retain_handle() {
    if (handles_.fetch_add(1, std::memory_order_relaxed) == 0) retain();
  }
  // Releases one handle. With the last one goes the internal reference of the handles. False if the
  // host has none to release.
  bool release_handle() {
    uint32_t handles = handles_.load(std::memory_order_relaxed);
    do {
      if (handles == 0) return false;
    } while (!handles_.compare_exchange_weak(handles, handles - 1, std::memory_order_acq_rel));
    if (handles == 1) {
      static_cast<T*>(this)->on_handles_gone();
      release();
    }
    return true;
  }
  // Releases the handle of a new object that the host has not got, and so many references of the
  // caller.
  void drop_handle(uint32_t references = 0) {
    handles_.store(0, std::memory_order_relaxed);
    static_cast<T*>(this)->on_handles_gone();
    release(references + 1);
  }
  // For objects older than the loader's data: the platform and its device.
  void set_loader_data(void* data) {
    loader_data.store(data, std::memory_order_relaxed);
    loader_data_ = data;
  }
  uint32_t handles() const { return handles_.load(std::memory_order_relaxed); }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  // For an object that no other thread knows yet: without a locked instruction.
  void retain_unshared() {
    references_.store(references_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // False for an object that is being destroyed, which nobody can retain any more.
  bool retain_if_alive() {
    uint32_t references = references_.load(std::memory_order_relaxed);
    while (references != 0)
      if (references_.compare_exchange_weak(references, references + 1, std::memory_order_relaxed))
        return true;
    return false;
  }
  void release(uint32_t count = 1) {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count)
      delete static_cast<T*>(this);
  }

  static void* operator new(size_t) { return Pool<T>::allocate(); }
  static void operator delete(void* memory) { Pool<T>::release(memory); }

 protected:
  ~Object() { magic_.store(0, std::memory_order_relaxed); }
  // Hook for classes that must act when the host has released the last handle.
  void on_handles_gone() {}

 private:
  const cl_icd_dispatch* dispatch_ = &kDispatch;
  void* loader_data_ = loader_data.load(std::memory_order_relaxed);
  std::atomic<uint32_t> magic_{T::kMagic};
  std::atomic<uint32_t> handles_{1};
  std::atomic<uint32_t> references_{1};
};

// Counted pointer to an object (internal reference).
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  // Takes over a reference of the caller.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Gives the reference to the caller.
  T* detach() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_OBJECT_H_
