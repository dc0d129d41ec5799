// SPDX-License-Identifier: Apache-2.0
// Built programs on disk, shared by all processes of a user.
//
// One directory, with one file per entry, named by its key. An entry is first written under another
// name and then renamed, so a reader sees a whole entry or none. A checksum finds what a crash or a
// full disk left. The cache never fails: if anything is wrong with the directory, nothing is found
// and nothing kept.
#ifndef CONCLAVE_PLATFORM_LOADER_DISK_CACHE_H_
#define CONCLAVE_PLATFORM_LOADER_DISK_CACHE_H_

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conclave/metadata.h"
#include "platform/base/descriptor.h"

namespace conclave {

class DiskCache {
 public:
  struct Entry {
    std::string binary;
    std::string log;
    // The files that the binary was made from. The entry counts only while they have that content.
    std::vector<Dependency> dependencies;
  };

  // What lies under a key.
  struct Finding {
    enum class State { kUsable, kNone, kOutOfDate, kDamaged };
    State state = State::kNone;
    std::string why;  // why it is not usable
    Entry entry;      // set if it is usable or out of date
  };

  // An entry as its directory shows it, without reading it.
  struct Item {
    std::string key;
    uint64_t bytes;
    timespec used;  // the last time, to the minute
  };

  // The right to make the entry of one key. Others wait for it instead of making the same.
  class Lock {
   public:
    Lock() = default;
    Lock(Descriptor directory, std::string name, Descriptor file, bool waited)
        : directory_(std::move(directory)),
          name_(std::move(name)),
          file_(std::move(file)),
          waited_(waited) {}
    ~Lock() { release(); }
    Lock(Lock&&) = default;
    Lock& operator=(Lock&&) = delete;
    explicit operator bool() const { return static_cast<bool>(file_); }
    // Whether somebody else had it at the time of the request.
    bool waited() const { return waited_; }
    void release();

   private:
    Descriptor directory_;
    std::string name_;
    Descriptor file_;
    bool waited_ = false;
  };

  // Uses the absolute directory `path`, which is made when needed. It must belong to this user and
  // be writable for nobody else. `size_limit` in bytes: beyond it the least recently used entries
  // go. An empty `path` makes a cache that keeps nothing.
  DiskCache(const std::string& path, uint64_t size_limit);

  // Why the directory is not used; "" if it is.
  const std::string& refusal() const { return refusal_; }

  // The usable entry of a key. Marks it as used now, and removes a damaged one.
  std::optional<Entry> find(const std::string& key) const;
  // Looks at an entry and leaves it as it is.
  Finding inspect(const std::string& key) const;
  void store(const std::string& key, const Entry& entry) const;
  // Waits until nobody else has the lock, or until the entry is there, at most `limit`. Holds
  // nothing in the second case, after `limit`, or if the directory cannot be used. The lock of a
  // process that dies is free at once.
  Lock lock(const std::string& key, std::chrono::milliseconds limit) const;
  // Waits, however long it takes and without using the CPU, until nobody else has the lock. Holds
  // nothing if the directory cannot be used.
  Lock wait_for_turn(const std::string& turn) const;

  // Removes the least recently used entries until the rest fits the limit, and what crashed writers
  // left. store() calls it from time to time.
  void trim() const;

  // All entries, the least recently used ones first.
  std::vector<Item> items() const;
  // Removes one entry, damaged or not; false if there is none.
  bool remove(const std::string& key) const;

 private:
  // A number that openat() and similar calls refuse if there is no directory, or no longer.
  int directory() const { return directory_.is_ours() ? directory_.get() : -1; }
  // Empty if the directory cannot be used.
  Descriptor open_lock(const std::string& name) const;
  // Whether a file that was opened by that name still has it.
  bool is_named(const Descriptor& file, const std::string& name) const;
  void remove_stale_files() const;

  // What the path led to when it was looked at. All is done in it, wherever the path leads later.
  Descriptor directory_;  // empty: not usable
  std::string refusal_;
  uint64_t size_limit_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_DISK_CACHE_H_
