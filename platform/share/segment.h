// SPDX-License-Identifier: Apache-2.0
// The shared memory segment: made by whoever comes first, checked by everybody else.
#ifndef CONCLAVE_PLATFORM_SHARE_SEGMENT_H_
#define CONCLAVE_PLATFORM_SHARE_SEGMENT_H_

#include <sys/types.h>

#include <boost/interprocess/mapped_region.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "platform/share/layout.h"

namespace conclave::share {

// The name of the segment that a daemon makes for all users: /dev/shm/HeapManager.
inline constexpr char kSystemSegment[] = "HeapManager";

// The name of the segment that the processes of this user share where no daemon runs:
// HeapManager.<uid>, with the number of the process's pid namespace where that is not the first.
std::string user_segment();

class Segment {
 public:
  // What a new segment is made with.
  struct Options {
    uint32_t size_kb;
    mode_t mode = 0600;
    gid_t group = static_cast<gid_t>(-1);  // -1: the creator's
  };

  // Opens the segment `name`; makes it where there is none, or where what is there is of no use: of
  // an earlier boot, of another layout, damaged, or left half made by a process that died. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE} naming segment, reason and remedy. `made`: whether it is new.
  static std::unique_ptr<Segment> open_or_create(const std::string& name, const Options& options,
                                                 bool* made = nullptr);

  // Opens the segment `name` as it is; null where there is none. Throws Error as above where there
  // is one that cannot be used.
  static std::unique_ptr<Segment> open(const std::string& name);

  // A segment of this process alone, without a name.
  static std::unique_ptr<Segment> make_private(uint32_t size_kb);

  // Makes the segment at least so large, for all who have it mapped. Throws Error where it is gone
  // or the file system is full.
  void grow(uint32_t size_kb);

  // Whether the name no longer leads to this segment: somebody removed it.
  bool removed() const;

  // Takes the name away; whoever has the segment mapped keeps it.
  static void remove(const std::string& name);

  const std::string& name() const { return name_; }  // "": private
  const Layout& layout() const { return layout_; }

 private:
  Segment(std::string name, boost::interprocess::mapped_region region, uint64_t inode);
  // `bytes`: the file's size.
  void read_sizes(uint64_t bytes);

  std::string name_;
  boost::interprocess::mapped_region region_;
  uint64_t inode_ = 0;
  Layout layout_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SEGMENT_H_
