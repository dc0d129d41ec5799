// SPDX-License-Identifier: Apache-2.0
// How often a change of a word is tried. Between honest processes a compare-and-swap fails only
// where another process has got on, which happens a few times in a row at most. One that fails so
// often is made to fail, by somebody who stores all the time, and must not keep a thread for ever.
#ifndef CONCLAVE_PLATFORM_SHARE_TRIES_H_
#define CONCLAVE_PLATFORM_SHARE_TRIES_H_

namespace conclave::share {

class Tries {
 public:
  // Whether there is one more.
  bool next() { return left_-- > 0; }

 private:
  int left_ = 200;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_TRIES_H_
