// SPDX-License-Identifier: Apache-2.0
// What the loader's tests share.
#ifndef CONCLAVE_TEST_UNIT_LOADER_TEST_SUPPORT_H_
#define CONCLAVE_TEST_UNIT_LOADER_TEST_SUPPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "conclave/program_binary.h"
#include "test/common/read_text.h"

namespace conclave::test {

// The bytes of the sample program binary.
const std::string& sample_program();
// The same with another identity, which its kernel "identify" writes.
std::string sample_program_with_id(uint64_t id);
// The JSON text in it.
std::string sample_metadata();
// The sample with another metadata text, of this version.
std::string binary_with_metadata(std::string_view json, uint32_t version = binary::kNoteType);
// A relocatable file with this metadata.
std::string object_with_metadata(std::string_view json);
// `text` with `from`, which must be there, replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// A new empty directory, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_text(const std::string& path, std::string_view content);

// Runs `body` in a forked child, so that it can have an environment, a configuration and compile
// servers of its own, or die. Returns its exit status, 0 if no check failed in it, or 1000 + the
// signal that ended it.
int in_child(const std::function<void()>& body);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_LOADER_TEST_SUPPORT_H_
