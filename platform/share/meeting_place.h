// SPDX-License-Identifier: Apache-2.0
// Where the processes of a user find their segment when no daemon runs: a directory that only this
// user can enter (runtime_dir.h). Each process that has the segment keeps its descriptor open and
// has a link to it there, named after the process, its start and the moment of this object's making:
//
//   $XDG_RUNTIME_DIR/conclave/HeapManager.4/4711.86420.135 -> /proc/4711/fd/5
//
// A newcomer opens the link of any living process, and makes a segment if there is none. So the
// segment lives exactly as long as somebody uses it, has no name that anybody could lock or
// truncate, and needs nobody to hand it out.
//
// There is no lock, which a stopped process could keep. Instead, a directory that holds a link
// cannot be removed, and no link can be made in a directory that was removed. So a process that has
// made its link is in the same directory as all others, and a process that finds the directory gone
// looks again. Who finds nobody makes a directory that holds its link already, and renames it; the
// system lets a directory take the place of another one only if that one is empty, in one step.
#ifndef CONCLAVE_PLATFORM_SHARE_MEETING_PLACE_H_
#define CONCLAVE_PLATFORM_SHARE_MEETING_PLACE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "platform/base/descriptor.h"
#include "platform/share/process_identity.h"
#include "platform/share/segment.h"

namespace conclave::share {

class MeetingPlace {
 public:
  // `name`: the segment's, without slashes. Makes the directory. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE} if the user has no directory for this.
  explicit MeetingPlace(const std::string& name);

  // Finds the segment that others have, or makes one, and links this process's descriptor. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES}.
  std::unique_ptr<Segment> find_or_make(uint32_t size_kb) const;
  // Finds it; null if nobody has one.
  std::unique_ptr<Segment> find() const;

  // Shows that this process has the segment too: the daemon gave it, or somebody has removed its
  // links. False, without any change, if others meet in another segment.
  bool show(const Segment& segment) const;
  // Removes the link, and the directory if it was the last one.
  void hide() const noexcept;

  // Whether newcomers find this segment through this process's link.
  bool shows(const Segment& segment) const;

  const std::string& path() const { return path_; }

 private:
  struct Sight;

  Sight look() const;
  bool enter(const Sight& sight, const Segment& segment) const;
  bool link(int directory, const std::string& path, const Segment& segment) const;
  bool establish(const Sight& sight, const Segment& segment) const;
  void remove_unfinished() const;
  Descriptor open_link(const std::string& link) const;
  std::string own_link() const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_, path_;
  ProcessIdentity maker_;  // a forked child is another process
  uint64_t made_ns_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_MEETING_PLACE_H_
