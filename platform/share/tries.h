// SPDX-License-Identifier: Apache-2.0
// How often a change of a word is tried. Between honest processes a compare-and-swap fails only if
// another process has made progress, which happens a few times in a row at most. If it fails this
// often, somebody stores all the time to make it fail, and that must not keep a thread for ever.
#ifndef CONCLAVE_PLATFORM_SHARE_TRIES_H_
#define CONCLAVE_PLATFORM_SHARE_TRIES_H_

namespace conclave::share {

class Tries {
 public:
  // Whether another try is allowed.
  bool next() { return left_-- > 0; }

 private:
  int left_ = 200;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_TRIES_H_
