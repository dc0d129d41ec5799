// SPDX-License-Identifier: Apache-2.0
#include "platform/base/replace_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "platform/base/safe_file.h"

namespace conclave {

bool replace_file(int directory, const std::string& name, const std::string& fresh,
                  std::initializer_list<std::string_view> parts, std::string& why) {
  const Descriptor file = open_own_file(directory, fresh, O_WRONLY | O_CREAT | O_EXCL, why);
  if (!file) return false;
  const bool written = std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return write_file(file.get(), part.data(), part.size());
  });
  if (written && renameat(directory, fresh.c_str(), directory, name.c_str()) == 0) return true;
  why = strerror(errno);
  unlinkat(directory, fresh.c_str(), 0);
  return false;
}

}  // namespace conclave
