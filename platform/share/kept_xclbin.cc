// SPDX-License-Identifier: Apache-2.0
#include "platform/share/kept_xclbin.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "platform/base/descriptor.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/private_directory.h"
#include "platform/base/replace_file.h"
#include "platform/base/runtime_dir.h"
#include "platform/base/safe_file.h"

namespace conclave::share {
namespace {

constexpr size_t kMaxXclbinBytes = size_t{1} << 30;

// The file of a segment, in the directory that only this user can write.
struct Place {
  std::string path;  // for messages
  std::string name;
  Descriptor directory;
};

// Throws Error if there is no such directory.
Place place_for(const std::string& segment) {
  Place place;
  place.name = segment + ".xclbin";
  std::replace(place.name.begin(), place.name.end(), '/', '_');
  const std::string directory = runtime_dir();
  place.path = directory + "/" + place.name;
  std::string why;
  place.directory = open_private_directory(directory, why);
  if (!place.directory) throw Error(CL_DEVICE_NOT_AVAILABLE, why);
  return place;
}

void warn(const std::string& why) {
  log::warn("xclbin: it cannot be kept: " + why +
            "; processes that do not load it themselves cannot run its kernels");
}

}  // namespace

void keep_xclbin(const std::string& segment, std::string_view bytes) {
  if (segment.empty()) return;
  try {
    const Place place = place_for(segment);
    const std::string fresh = place.name + ".new";
    unlinkat(place.directory.get(), fresh.c_str(), 0);  // a process may have died while it wrote
    std::string why;
    if (!replace_file(place.directory.get(), place.name, fresh, {bytes}, why))
      warn(place.path + ": " + why);
  } catch (const Error& error) {
    warn(error.text());
  }
}

std::string kept_xclbin(const std::string& segment, std::string& why) {
  if (segment.empty()) {
    why = "no other process can have loaded it";
    return "";
  }
  try {
    const Place place = place_for(segment);
    const Descriptor file = open_own_file(place.directory.get(), place.name, O_RDONLY, why);
    std::string bytes;
    if (file && read_file(file.get(), kMaxXclbinBytes, bytes) && !bytes.empty()) return bytes;
    why = place.path + ": " + (file ? "cannot be read" : why);
  } catch (const Error& error) {
    why = error.text();
  }
  return "";
}

}  // namespace conclave::share
