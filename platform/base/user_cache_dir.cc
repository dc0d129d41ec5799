// SPDX-License-Identifier: Apache-2.0
#include "platform/base/user_cache_dir.h"

#include <pwd.h>
#include <unistd.h>

namespace conclave {
namespace {

using Getenv = std::function<const char*(const char*)>;

// The value of a variable that holds an absolute path, else "".
std::string absolute_path(const Getenv& getenv, const char* name) {
  const char* value = getenv(name);
  return value && *value == '/' ? value : "";
}

std::string home_directory(const Getenv& getenv) {
  if (std::string home = absolute_path(getenv, "HOME"); !home.empty()) return home;
  passwd entry;
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found && found->pw_dir &&
      *found->pw_dir == '/')
    return found->pw_dir;
  return "";
}

}  // namespace

std::string user_cache_dir(const Getenv& getenv) {
  // The XDG specification wants relative paths to be ignored.
  if (const std::string base = absolute_path(getenv, "XDG_CACHE_HOME"); !base.empty())
    return base + "/conclave";
  const std::string home = home_directory(getenv);
  return home.empty() ? "" : home + "/.cache/conclave";
}

}  // namespace conclave
