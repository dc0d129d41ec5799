// SPDX-License-Identifier: Apache-2.0
// What checking mode knows of each memory object: which of its bytes have been written, who has
// accessed them, and where released objects were.
#ifndef CONCLAVE_PLATFORM_CHECK_SHADOW_MEMORY_H_
#define CONCLAVE_PLATFORM_CHECK_SHADOW_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace conclave::check {

// Pages of zeros that take memory once they are written to.
class ZeroedMemory {
 public:
  // Throws std::bad_alloc.
  explicit ZeroedMemory(size_t size);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }
  size_t size() const { return size_; }
  void clear();

 private:
  void* data_;
  size_t size_;
};

// The tags of a memory object, for launches of kernels with one size of granules.
struct Tags {
  Tags(size_t size, uint64_t granule);
  const uint64_t granule;
  ZeroedMemory writers, readers;
};

class Allocation {
 public:
  Allocation(uint64_t base, size_t size, bool is_written);

  uint64_t base() const { return base_; }
  size_t size() const { return size_; }
  bool has(uint64_t address) const { return address - base_ < size_; }
  // The shadow of `base`; 0 once everything has been written.
  uint64_t written_shadow();
  void mark_written(uint64_t address, size_t bytes);
  std::shared_ptr<Tags> tags(uint64_t granule);

 private:
  const uint64_t base_;
  const size_t size_;
  std::unique_ptr<ZeroedMemory> written_;  // null: everything has been
  std::atomic<size_t> known_written_{0};   // number of bytes from the beginning on
  std::mutex mutex_;
  std::shared_ptr<Tags> tags_;
};

// The memory objects of the process since checking mode began.
class ShadowMemory {
 public:
  static ShadowMemory& get();

  static bool is_on() { return is_on_.load(std::memory_order_relaxed); }
  // Called when the first program with checks comes. Objects that exist already count as written.
  static void turn_on() { is_on_.store(true, std::memory_order_relaxed); }

  std::shared_ptr<Allocation> add(uint64_t base, size_t size, bool is_written);
  // Forgets an object. Keeps its memory (`storage`, for free(), or null) for a while, to detect a
  // kernel that still has its address.
  void remove(uint64_t base, void* storage);
  std::shared_ptr<Allocation> find(uint64_t address);
  // The size of a released object at the address; 0: there was none.
  size_t find_released(uint64_t address, uint64_t& base);
  void mark_written(const void* begin, size_t bytes);

 private:
  struct Released {
    uint64_t base;
    size_t size;
    void* storage;
  };
  void release_old();

  static std::atomic<bool> is_on_;
  std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Allocation>> live_;
  std::deque<Released> released_;
  size_t released_bytes_ = 0;
};

}  // namespace conclave::check

#endif  // CONCLAVE_PLATFORM_CHECK_SHADOW_MEMORY_H_
