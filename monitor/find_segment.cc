// SPDX-License-Identifier: Apache-2.0
#include "monitor/find_segment.h"

#include <cstdio>

#include "platform/base/config.h"
#include "platform/base/error.h"

namespace conclave::monitor {

using share::Segment;

std::unique_ptr<Segment> find_segment(const std::string& name) {
  if (!name.empty()) return Segment::open(name);
  if (const std::string& configured = Config::get().segment; !configured.empty())
    return Segment::open(configured);
  try {
    if (auto segment = Segment::open(share::kSystemSegment)) return segment;
  } catch (const Error& error) {
    fprintf(stderr, "%s; this user's own is shown\n", error.what());
  }
  return Segment::open(share::user_segment());
}

}  // namespace conclave::monitor
