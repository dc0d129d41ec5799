// SPDX-License-Identifier: Apache-2.0
#include <ocl_util.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>

int ocl_read_binary(const char* filename, char*& buffer) {
  buffer = nullptr;
  std::ifstream file(filename, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  if (size >= 0 && size <= std::numeric_limits<int>::max()) {
    buffer = new char[static_cast<size_t>(size)];
    if (file.seekg(0) && file.read(buffer, size)) return static_cast<int>(size);
    delete[] buffer;
    buffer = nullptr;
  }
  std::cout << "ocl_read_binary: cannot read " << filename << ": "
            << (errno ? std::strerror(errno) : "too large") << std::endl;
  return 0;
}
