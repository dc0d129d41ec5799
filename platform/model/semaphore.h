// SPDX-License-Identifier: Apache-2.0
// cl_semaphore_khr: a binary semaphore, of this process or of several.
//
// Its state is one word, the number of signals that nobody has taken. That can be more than one: a
// program may enqueue a signal, a wait and the next signal, and the second signal may come before the
// wait has taken the first. Processes share the word by a memfd of sealed size (shared_storage.h).
// Everybody who has the descriptor can write anything there at any moment. The worst that comes of it
// is that there are signals too many, or too few.
#ifndef CONCLAVE_PLATFORM_MODEL_SEMAPHORE_H_
#define CONCLAVE_PLATFORM_MODEL_SEMAPHORE_H_

#include <CL/cl_ext_conclave.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "platform/base/object.h"
#include "platform/model/shared_storage.h"

namespace conclave {

class Context;
class Device;
class Semaphore;

template <>
struct HandleOf<Semaphore> {
  using Type = cl_semaphore_khr;
};

class Semaphore : public Object<Semaphore> {
 public:
  static constexpr uint32_t kMagic = 0x73656d61;  // "sema"

  enum class Sharing { kPrivate, kExportable, kImported };

  // `device`: the only one with which it works. `properties`: as given. A semaphore that is not
  // signalled; exportable ones throw Error{CL_OUT_OF_RESOURCES} where no memory can be shared.
  Semaphore(Context& context, Device& device, std::vector<cl_semaphore_properties_khr> properties,
            Sharing sharing);
  // The semaphore of the descriptor of another one, which stays the caller's. Throws
  // Error{CL_INVALID_PROPERTY} if the descriptor is not of a semaphore.
  Semaphore(Context& context, Device& device, std::vector<cl_semaphore_properties_khr> properties,
            int descriptor);
  ~Semaphore();

  Context& context() const { return *context_; }
  Device& device() const { return *device_; }
  const std::vector<cl_semaphore_properties_khr>& properties() const { return properties_; }
  Sharing sharing() const { return sharing_; }
  bool is_signalled() const { return word().load() != 0; }

  // Signals it, and lets those continue that wait for it, in any process.
  void signal();
  // Takes a signal; false if there is none, or if others change the word too often.
  bool take();

  // The word on which the threads of all processes sleep, if it is shared.
  std::atomic<uint32_t>& word() const { return *word_; }
  // A new descriptor of an exportable semaphore. Throws Error{CL_OUT_OF_RESOURCES}.
  int new_descriptor() const { return storage_.new_descriptor(); }

 private:
  // What is in the memory that is shared.
  struct Content {
    uint64_t kind;
    std::atomic<uint32_t> word;
  };
  static constexpr uint64_t kKind = 0x61687065'6d65736b;

  Semaphore(Context& context, Device& device, std::vector<cl_semaphore_properties_khr> properties,
            Sharing sharing, SharedStorage storage);

  Ref<Context> context_;
  Ref<Device> device_;
  const std::vector<cl_semaphore_properties_khr> properties_;
  const Sharing sharing_;
  SharedStorage storage_;
  std::atomic<uint32_t>* word_ = nullptr;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_SEMAPHORE_H_
