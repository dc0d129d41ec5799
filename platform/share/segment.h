// SPDX-License-Identifier: Apache-2.0
// The memory that processes share: a memory file without a name, of a fixed, sealed size, which is
// passed on by descriptor. meeting_place.h passes it between the processes of one user,
// daemon_client.h from the daemon to a user's processes.
#ifndef CONCLAVE_PLATFORM_SHARE_SEGMENT_H_
#define CONCLAVE_PLATFORM_SHARE_SEGMENT_H_

#include <sys/types.h>

#include <boost/interprocess/mapped_region.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "platform/base/descriptor.h"
#include "platform/share/graph_area.h"
#include "platform/share/layout.h"

namespace conclave::share {

// TI's name, under which processes meet if the configuration gives none.
inline constexpr char kDefaultSegment[] = "HeapManager";

class Segment {
 public:
  // A new segment, which nobody else knows. `name`: for messages. Throws Error{CL_OUT_OF_RESOURCES}
  // if there is no memory for it.
  static std::unique_ptr<Segment> make(const std::string& name, uint32_t size_kb);

  // The segment in `file`, which somebody else has made and may have prepared as a trap. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE}, with the reason, if it is none, or not of this
  // layout and this pid namespace; Error{CL_OUT_OF_RESOURCES} if this process has no room for it.
  static std::unique_ptr<Segment> adopt(const std::string& name, Descriptor file);

  const std::string& name() const { return name_; }
  const Layout& layout() const { return layout_; }
  // The file, to be passed on.
  const Descriptor& file() const { return file_; }
  // Size of the tables by the file's size, not by what the segment says of itself.
  size_t size() const { return region_.get_size() - kGraphAreaBytes; }
  // The user whose process made it. What the daemon has made nobody else can have forged.
  uid_t maker() const { return maker_; }
  // Tells segments apart while they exist.
  ino_t inode() const { return inode_; }

 private:
  Segment(const std::string& name, Descriptor file);
  std::byte* memory() const;

  std::string name_;
  Descriptor file_;
  boost::interprocess::mapped_region region_;
  uid_t maker_ = 0;
  ino_t inode_ = 0;
  Layout layout_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SEGMENT_H_
