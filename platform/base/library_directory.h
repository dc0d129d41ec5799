// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_LIBRARY_DIRECTORY_H_
#define CONCLAVE_PLATFORM_BASE_LIBRARY_DIRECTORY_H_

#include <dlfcn.h>
#include <limits.h>

#include <string>

namespace conclave {

// The absolute path of the directory from which the library with this function was loaded; "" if
// the system does not know. (dladdr() returns the path that the dynamic linker was given. A
// relative path leads elsewhere once the host has changed its working directory.)
inline std::string library_directory(const void* function) {
  Dl_info info{};
  void* library = nullptr;
  char directory[PATH_MAX];
  if (!dladdr1(function, &info, &library, RTLD_DL_LINKMAP) ||
      dlinfo(library, RTLD_DI_ORIGIN, directory) != 0)
    return "";
  return directory;
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_LIBRARY_DIRECTORY_H_
