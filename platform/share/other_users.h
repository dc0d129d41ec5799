// SPDX-License-Identifier: Apache-2.0
// What a user's processes know of other users, with whom they share no memory. The device has one
// xclbin, and one process may have the device alone, whichever user it belongs to. So the daemon's
// entry in a user's table of processes shows what all other users have: their contexts, and their
// contexts on the xclbin. The header says which xclbin is the device's.
//
// A process first stores what it wants, then consults the daemon, and then looks at what others
// have. The daemon shows the request to the other users only if nobody there has something that
// forbids it. So of two users that want the same at once, one gets it.
#ifndef CONCLAVE_PLATFORM_SHARE_OTHER_USERS_H_
#define CONCLAVE_PLATFORM_SHARE_OTHER_USERS_H_

#include <array>
#include <cstdint>

#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

class OtherUsers {
 public:
  using Uuid = std::array<uint8_t, 16>;

  explicit OtherUsers(const Layout& layout) : layout_(layout) {}

  // Whether the daemon shares the device between several users, and answers. A process that stores
  // something before it asks this, and learns that there are none, has been seen by those who come
  // later.
  bool are_there() const;

  // Waits until the daemon has seen what this process has stored. Returns at once if are_there() is
  // false, and after half a second if the daemon does not answer. Until it answers, users share the
  // device without arbitration, as without a daemon.
  void consult() const;

  // The daemon's entry of the table; `nowhere` if there are no other users.
  const ProcessEntry& entry() const;
  // Whether another user has loaded an xclbin other than `uuid` since.
  bool have_replaced(const Uuid& uuid) const;
  // Whether `uuid` is the xclbin that any user has loaded last; false if there are no others.
  bool know_as_the_last(const Uuid& uuid) const;

 private:
  Uuid xclbin() const;

  const Layout layout_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_OTHER_USERS_H_
