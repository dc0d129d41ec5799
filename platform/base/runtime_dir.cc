// SPDX-License-Identifier: Apache-2.0
#include "platform/base/runtime_dir.h"

#include <stdlib.h>
#include <unistd.h>

#include "platform/base/error.h"
#include "platform/base/private_directory.h"
#include "platform/base/system_file.h"
#include "platform/base/user_cache_dir.h"

namespace conclave {
namespace {

// Tries one place after the other, and remembers what is wrong with each.
class Search {
 public:
  bool try_place(const std::string& parent_path, const std::string& name) {
    std::string why;
    const Descriptor parent = open_private_directory(parent_path, why);
    if (parent && make_private_directory(parent, parent_path, name, why)) {
      found_ = parent_path + "/" + name;
      return true;
    }
    refuse(why);
    return false;
  }
  void refuse(const std::string& why) { refusals_ += (refusals_.empty() ? "" : "; ") + why; }
  const std::string& found() const { return found_; }
  const std::string& refusals() const { return refusals_; }

 private:
  std::string found_;
  std::string refusals_;
};

bool search(Search& search) {
  // A privileged program does not take its directory from the user who started it.
  if (const char* given = secure_getenv("XDG_RUNTIME_DIR"); given && *given) {
    if (*given != '/')
      search.refuse(std::string("XDG_RUNTIME_DIR=") + given + ": is no absolute path");
    else if (search.try_place(given, "conclave"))
      return true;
  }
  const uid_t user = geteuid();
  if (search.try_place("/run/user/" + std::to_string(user), "conclave")) return true;
  if (user == 0 && search.try_place("/run", "conclave-root")) return true;
  const std::string cache =
      user_cache_dir([](const char* name) -> const char* { return secure_getenv(name); });
  if (cache.empty()) {
    search.refuse("there is no home directory");
    return false;
  }
  make_directories(cache);
  // Machines may share home directories, but no processes.
  return search.try_place(cache, "run-" + first_line("/proc/sys/kernel/hostname"));
}

}  // namespace

std::string runtime_dir() {
  Search places;
  if (!search(places))
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "there is no directory that this user alone can write: " + places.refusals());
  return places.found();
}

}  // namespace conclave
