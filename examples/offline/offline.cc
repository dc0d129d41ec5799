// SPDX-License-Identifier: Apache-2.0
// A program that was compiled before, with `clocl vadd.cl`, and is read from a file.
#include <CL/opencl.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/vector_sum.h"

namespace {

constexpr char kUsage[] =
    "Usage: offline [-f file] [-h]\n"
    "Adds two vectors with a program binary.\n"
    "  -f  the binary (default: vadd.out beside this program)";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) throw std::runtime_error("cannot read " + path);
  return text;
}

size_t run(int argc, char** argv) {
  std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "vadd.out";
  bool help = false;
  examples::for_each_option(argc, argv, "f:h", [&](char option, const char* value) {
    if (option == 'f') path = value;
    if (option == 'h') help = true;
  });
  if (help) {
    std::printf("%s\n", kUsage);
    return 0;
  }
  const std::string binary = read(path);
  return examples::add_vectors([&](const examples::Accelerator& accelerator) {
    return accelerator.build(binary.data(), binary.size());
  });
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("offline", kUsage, [&] { return run(argc, argv); });
}
