// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_LIBRARY_DIRECTORY_H_
#define CONCLAVE_PLATFORM_BASE_LIBRARY_DIRECTORY_H_

#include <dlfcn.h>
#include <limits.h>

#include <string>

namespace conclave {

// The directory, an absolute path, from which the library that has this function was loaded; ""
// where the system does not know. dladdr() tells the path that the dynamic linker was given: a
// relative one leads elsewhere once the host has changed its working directory.
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
