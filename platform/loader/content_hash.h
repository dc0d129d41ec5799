// SPDX-License-Identifier: Apache-2.0
// XXH3-128: names cache entries, tells whether an included file has changed, finds damage on disk.
#ifndef CONCLAVE_PLATFORM_LOADER_CONTENT_HASH_H_
#define CONCLAVE_PLATFORM_LOADER_CONTENT_HASH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace conclave {

// XXH3-128 as 32 lower-case hex digits, high half first, as `xxhsum -H2` prints it.
std::string content_hash(std::string_view bytes);

// The hash of several fields. Each is preceded by its length, so moving a character from one to the
// next changes the hash.
class FieldHasher {
 public:
  FieldHasher();
  ~FieldHasher();
  FieldHasher(const FieldHasher&) = delete;
  FieldHasher& operator=(const FieldHasher&) = delete;
  void add(std::string_view field);
  void add(uint64_t field);
  std::string result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_CONTENT_HASH_H_
