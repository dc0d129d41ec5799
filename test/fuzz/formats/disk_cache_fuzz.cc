// SPDX-License-Identifier: Apache-2.0
// Entries of the disk cache: any bytes, and any bytes behind a head that fits them, so that what is
// behind the checksum is reached. An entry is usable, out of date, or damaged with a reason; one
// that is damaged is removed when it is looked for.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "platform/loader/content_hash.h"
#include "platform/loader/disk_cache.h"

namespace {

using conclave::DiskCache;

const std::string kKey(32, '0');

std::string directory() {
  static const std::string path = [] {
    char name[] = "/dev/shm/conclave-fuzz-XXXXXX";
    if (!mkdtemp(name)) __builtin_trap();
    static std::string made = name;
    atexit([] {
      unlink((made + "/" + kKey).c_str());
      rmdir(made.c_str());
    });
    return made;
  }();
  return path;
}

void write(const std::string& bytes) {
  const int file = open((directory() + "/" + kKey).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
    __builtin_trap();
  close(file);
}

void check(const std::string& bytes) {
  static const DiskCache cache(directory(), 1 << 20);
  if (!cache.refusal().empty()) __builtin_trap();
  write(bytes);
  const DiskCache::Finding found = cache.inspect(kKey);
  using State = DiskCache::Finding::State;
  if (found.state == State::kNone || (found.state != State::kUsable && found.why.empty()))
    __builtin_trap();
  if (cache.find(kKey).has_value() != (found.state == State::kUsable)) __builtin_trap();
  if (found.state == State::kDamaged && access((directory() + "/" + kKey).c_str(), F_OK) == 0)
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  check(body);
  conclave::FieldHasher hasher;
  hasher.add(kKey);
  hasher.add(body);
  check("conclave program cache 1\n" + hasher.result() + body);
  return 0;
}
