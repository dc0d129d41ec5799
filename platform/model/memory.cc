// SPDX-License-Identifier: Apache-2.0
#include "platform/model/memory.h"

#include <CL/cl_ext_conclave.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "platform/base/checked_size.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/check/shadow_memory.h"
#include "platform/exec/unit_services.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

constexpr size_t kHugePage = 2u << 20;
// Memory objects up to this size begin with zeros, as fresh pages do: programs forget to set the
// counters and indices that they keep in small buffers. Larger ones would cost time.
constexpr size_t kZeroedBytes = 4096;

constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags kHostAccess =
    CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostPointer =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

// A sub-buffer, or an image made from a memory object, inherits the flags that it does not state.
// It always inherits the place.
cl_mem_flags inherit(cl_mem_flags flags, cl_mem_flags parent) {
  flags |= parent & (kHostPointer | CL_MEM_USE_MSMC_TI);
  if (!(flags & kKernelAccess)) flags |= parent & kKernelAccess;
  if (!(flags & kHostAccess)) flags |= parent & kHostAccess;
  return flags;
}

}  // namespace

std::byte* allocate_storage(size_t size, size_t least_alignment) {
  const bool huge = size >= 2 * kHugePage;
  const size_t alignment = std::max(huge ? kHugePage : Device::kMemoryAlignment, least_alignment);
  const CheckedSize rounded = CheckedSize(size).aligned(alignment);
  void* memory = rounded.fits() ? std::aligned_alloc(alignment, rounded.saturated()) : nullptr;
  if (!memory)
    throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                "no memory for a memory object of " + std::to_string(size) + " bytes");
  if (huge) madvise(memory, size, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

HeapBlockOwner::HeapBlockOwner(cl_mem_flags flags, size_t size) {
  share::Share& share = share::Share::get();
  share.leave_if_damaged();
  share.beyond_damage([&] {
    share.stay_entered();
    share::Membership& here = share.membership();
    const auto take = [&] {
      return flags & CL_MEM_USE_MSMC_TI ? here.heap.allocate(share::HeapId::kMsmc, size, here.self)
                                        : here.heap.allocate_global(size, here.self);
    };
    try {
      allocation_ = take();
    } catch (const share::DamagedSegment&) {
      throw;
    } catch (const Error&) {
      // Somebody may have died unnoticed.
      if (here.registry.remove_dead().blocks == 0) throw;
      allocation_ = take();
    }
    owner_ = &here;
  });
}

// In a forked child the block still belongs to the parent.
HeapBlockOwner::~HeapBlockOwner() {
  share::Share* share = owner_ ? share::Share::if_open() : nullptr;
  if (!share || &share->membership() != owner_) return;
  try {
    share->heap().free(allocation_, owner_->self);
  } catch (const share::DamagedSegment& damage) {
    share->leave(*owner_, damage.text());
  } catch (const std::exception& error) {
    log::error(std::string("device memory is not given back before this process ends: ") +
               error.what());
  }
}

Memory::Memory(Context& context, cl_mem_flags flags, size_t size, void* host,
               std::vector<cl_mem_properties> properties)
    : context_(&context),
      flags_(flags & kKernelAccess ? flags : flags | CL_MEM_READ_WRITE),
      size_(size),
      block_(flags & CL_MEM_USE_HOST_PTR ? HeapBlockOwner() : HeapBlockOwner(flags, size)),
      properties_(std::move(properties)) {
  if (flags & CL_MEM_USE_HOST_PTR) {
    host_ = host;
    data_ = static_cast<std::byte*>(host);
  } else {
    data_ = allocate_storage(size);
    owns_data_ = true;
    if (flags & CL_MEM_COPY_HOST_PTR)
      std::memcpy(data_, host, size);
    else if (size <= kZeroedBytes)
      std::memset(data_, 0, size);
  }
  const bool is_written = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (check::ShadowMemory::is_on())
    check::ShadowMemory::get().add(reinterpret_cast<uint64_t>(data_), size, is_written);
}

Memory::Memory(Context& context, cl_mem_flags flags, const Image& image, void* host,
               std::vector<cl_mem_properties> properties)
    : Memory(context, flags, image.bytes(), host, std::move(properties)) {
  image_ = std::make_unique<Image>(image);
  image_->place(data_);
}

Memory::Memory(Context& context, cl_mem_flags flags, const Pipe& pipe)
    : Memory(context, flags,
             pipe.bytes().value_or(CL_MEM_OBJECT_ALLOCATION_FAILURE, "a pipe too large for memory"),
             nullptr, {}) {
  pipe_ = pipe;
  pipe_->begin(data_);
  if (check::ShadowMemory::is_on()) check::ShadowMemory::get().mark_written(data_, size_);
}

Memory::Memory(Context& context, cl_mem_flags flags, SharedStorage&& storage, const Image& image,
               std::vector<cl_mem_properties> properties)
    : Memory(context, flags, std::move(storage), image.bytes(), std::move(properties)) {
  image_ = std::make_unique<Image>(image);
  image_->place(data_);
}

Memory::Memory(Context& context, cl_mem_flags flags, SharedStorage&& storage, size_t size,
               std::vector<cl_mem_properties> properties)
    : context_(&context),
      flags_(flags & kKernelAccess ? flags : flags | CL_MEM_READ_WRITE),
      size_(size),
      block_(storage.is_imported() ? HeapBlockOwner() : HeapBlockOwner(flags, storage.size())),
      shared_(std::move(storage)),
      data_(shared_->data()),
      properties_(std::move(properties)) {
  if (check::ShadowMemory::is_on())
    check::ShadowMemory::get().add(reinterpret_cast<uint64_t>(data_), size_, true);
}

Memory::Memory(Memory& parent, cl_mem_flags flags, size_t origin, size_t size)
    : context_(&parent.context()),
      parent_(&parent),
      flags_(inherit(flags, parent.flags())),
      size_(size),
      origin_(origin),
      data_(parent.data() + origin) {
  if (parent.host_pointer()) host_ = static_cast<std::byte*>(parent.host_pointer()) + origin;
}

Memory::Memory(Memory& parent, cl_mem_flags flags, const Image& image,
               std::vector<cl_mem_properties> properties)
    : context_(&parent.context()),
      parent_(&parent),
      flags_(inherit(flags, parent.flags())),
      size_(image.bytes()),
      data_(parent.data()),
      image_(std::make_unique<Image>(image)),
      properties_(std::move(properties)) {
  image_->place(data_);
}

Memory::~Memory() {
  for (auto it = destructors_.rbegin(); it != destructors_.rend(); ++it)
    it->first(handle(), it->second);
  if (!parent_) UnitServices::forget_heaps(data_, size_);
  void* storage = owns_data_ ? data_ : nullptr;
  if (!parent_ && check::ShadowMemory::is_on())
    check::ShadowMemory::get().remove(reinterpret_cast<uint64_t>(data_), storage);
  else
    std::free(storage);
}

bool Memory::add_mapping(const void* pointer, const Region& region, bool write) {
  std::lock_guard lock(mutex_);
  auto conflicts = [&](const Mapping& m) { return write && m.write && region.overlaps(m.region); };
  if (std::any_of(mappings_.begin(), mappings_.end(), conflicts)) return false;
  if (write && check::ShadowMemory::is_on()) {
    const bool is_part = type() == CL_MEM_OBJECT_BUFFER;
    check::ShadowMemory::get().mark_written(is_part ? pointer : data_,
                                            is_part ? region.extent[0] : size_);
  }
  mappings_.push_back({pointer, region, write});
  return true;
}

bool Memory::remove_mapping(const void* pointer) {
  std::lock_guard lock(mutex_);
  auto it = std::find_if(mappings_.begin(), mappings_.end(),
                         [&](const Mapping& m) { return m.pointer == pointer; });
  if (it == mappings_.end()) return false;
  mappings_.erase(it);
  return true;
}

uint32_t Memory::map_count() {
  std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(mappings_.size());
}

void Memory::add_destructor(Destructor function, void* user_data) {
  std::lock_guard lock(mutex_);
  destructors_.emplace_back(function, user_data);
}

}  // namespace conclave
