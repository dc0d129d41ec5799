// SPDX-License-Identifier: Apache-2.0
// cl_mem: buffers, sub-buffers and images.
#ifndef CONCLAVE_PLATFORM_MODEL_MEMORY_H_
#define CONCLAVE_PLATFORM_MODEL_MEMORY_H_

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "platform/base/object.h"
#include "platform/model/image.h"
#include "platform/model/pipe.h"
#include "platform/model/region.h"
#include "platform/model/shared_storage.h"
#include "platform/share/heap.h"

namespace conclave::share {
struct Membership;
}  // namespace conclave::share

namespace conclave {

class Context;
class Memory;

template <>
struct HandleOf<Memory> {
  using Type = cl_mem;
};

// `size` bytes of device memory, aligned to Device::kMemoryAlignment and `alignment`, a power of two,
// for std::free(). Throws Error{CL_MEM_OBJECT_ALLOCATION_FAILURE}.
std::byte* allocate_storage(size_t size, size_t alignment = 1);

// Device memory of this process: a block of the heaps that all processes share, which the
// destructor gives back. This is only the account; the bytes are elsewhere.
class HeapBlockOwner {
 public:
  HeapBlockOwner() = default;
  // `size` bytes of msmc_heap with CL_MEM_USE_MSMC_TI, else of global memory. Throws
  // Error{CL_MEM_OBJECT_ALLOCATION_FAILURE} if that is full, Error{CL_OUT_OF_RESOURCES} if the
  // segment is full, and Error{CL_DEVICE_NOT_AVAILABLE} if there is none.
  HeapBlockOwner(cl_mem_flags flags, size_t size);
  ~HeapBlockOwner();
  HeapBlockOwner(const HeapBlockOwner&) = delete;

 private:
  const share::Membership* owner_ = nullptr;  // null: there is no block
  share::Heap::Allocation allocation_{};
};

class Memory : public Object<Memory> {
 public:
  static constexpr uint32_t kMagic = 0x6d656d6f;  // "memo"
  using Destructor = void(CL_CALLBACK*)(cl_mem, void*);

  // A buffer of `size` bytes; `properties` as given, for the query. CL_MEM_COPY_HOST_PTR copies
  // `host`. With CL_MEM_USE_HOST_PTR `host` is the storage: kernels work on the host's memory
  // itself, so such a buffer takes nothing from the device's heaps. All others are charged to this
  // process as long as they live. Throws Error with the codes of HeapBlockOwner.
  Memory(Context& context, cl_mem_flags flags, size_t size, void* host,
         std::vector<cl_mem_properties> properties);
  // An image, with all of the above.
  Memory(Context& context, cl_mem_flags flags, const Image& image, void* host,
         std::vector<cl_mem_properties> properties);
  // An empty pipe. `flags` and the rest as above.
  Memory(Context& context, cl_mem_flags flags, const Pipe& pipe);
  // A buffer in storage that other processes can have too. It is charged to the process that made
  // it, not to those that import it.
  Memory(Context& context, cl_mem_flags flags, SharedStorage&& storage)
      : Memory(context, flags, std::move(storage), storage.size(), {}) {}
  // The first `size` bytes of such storage, or an image in it.
  Memory(Context& context, cl_mem_flags flags, SharedStorage&& storage, size_t size,
         std::vector<cl_mem_properties> properties);
  Memory(Context& context, cl_mem_flags flags, SharedStorage&& storage, const Image& image,
         std::vector<cl_mem_properties> properties);
  // The part [origin, origin + size) of `parent`, which is charged already.
  Memory(Memory& parent, cl_mem_flags flags, size_t origin, size_t size);
  // An image in the storage of `parent`, a buffer or another image.
  Memory(Memory& parent, cl_mem_flags flags, const Image& image,
         std::vector<cl_mem_properties> properties);
  ~Memory();

  cl_mem_object_type type() const {
    if (pipe_) return CL_MEM_OBJECT_PIPE;
    return image_ ? image_->type() : CL_MEM_OBJECT_BUFFER;
  }
  bool is_buffer() const { return !image_ && !pipe_; }
  // Null for what is no pipe.
  const Pipe* pipe() const { return pipe_ ? &*pipe_ : nullptr; }
  // Null for a buffer. Lives as long as the object, at the same address.
  const Image* image() const { return image_.get(); }
  Context& context() const { return *context_; }
  cl_mem_flags flags() const { return flags_; }
  size_t size() const { return size_; }
  std::byte* data() const { return data_; }
  // As the user gave it, for CL_MEM_HOST_PTR; null without CL_MEM_USE_HOST_PTR.
  void* host_pointer() const { return host_; }
  // Null if the bytes are only this process's.
  SharedStorage* shared_storage() { return shared_ ? &*shared_ : nullptr; }
  Memory* parent() const { return parent_.get(); }
  // What it is a part of, however often it was divided; itself if it is no part.
  Memory& whole() {
    Memory* memory = this;
    while (memory->parent()) memory = memory->parent();
    return *memory;
  }
  size_t origin() const { return origin_; }
  const std::vector<cl_mem_properties>& properties() const { return properties_; }

  // Host and device share the storage, so mapping only keeps account. Regions (of bytes, or of an
  // image's positions) may be mapped more than once for reading. False if `write` is set and the
  // region overlaps one that is mapped for writing.
  bool add_mapping(const void* pointer, const Region& region, bool write);
  // False if `pointer` is not mapped.
  bool remove_mapping(const void* pointer);
  uint32_t map_count();

  void add_destructor(Destructor function, void* user_data);

 private:
  struct Mapping {
    const void* pointer;
    Region region;
    bool write;
  };

  Ref<Context> context_;
  Ref<Memory> parent_;
  const cl_mem_flags flags_;
  const size_t size_;
  const size_t origin_ = 0;
  HeapBlockOwner block_;
  std::optional<SharedStorage> shared_;
  void* host_ = nullptr;
  std::byte* data_ = nullptr;
  bool owns_data_ = false;
  std::unique_ptr<Image> image_;
  std::optional<Pipe> pipe_;
  std::vector<cl_mem_properties> properties_;
  std::mutex mutex_;
  std::vector<Mapping> mappings_;
  std::vector<std::pair<Destructor, void*>> destructors_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_MEMORY_H_
