// SPDX-License-Identifier: Apache-2.0
#include "monitor/find_segment.h"

#include <unistd.h>

#include <cstdio>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/share/daemon_client.h"
#include "platform/share/meeting_place.h"

namespace conclave::monitor {

using share::Segment;

std::unique_ptr<Segment> find_segment(const std::string& given) {
  const std::string& configured = Config::get().segment;
  const std::string name = !given.empty()        ? given
                           : !configured.empty() ? configured
                                                 : share::kDefaultSegment;
  try {
    if (auto segment = share::join_daemon(name)) return segment;
  } catch (const Error& error) {
    fprintf(stderr, "%s; what this user's processes share without it is shown\n", error.what());
  }
  return share::MeetingPlace(name).find();
}

std::unique_ptr<Segment> find_segment_of(const std::string& name, uid_t user) {
  if (user == geteuid()) return find_segment(name);
  return share::look_at_daemon(name.empty() ? share::kDefaultSegment : name, user);
}

}  // namespace conclave::monitor
