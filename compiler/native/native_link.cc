// SPDX-License-Identifier: Apache-2.0
#include "compiler/native/native_link.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/FileSystem.h>

#include <optional>

#include "compiler/base/error.h"
#include "compiler/workgroup/builtins_link.h"
#include "conclave/program_binary.h"

namespace conclave::compiler {
namespace {

constexpr const char* kFolders[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                                    "/usr/lib64", "/usr/lib/llvm-19/lib"};

std::optional<std::string> find_library(const std::string& name) {
  for (const char* folder : kFolders) {
    std::string path = std::string(folder) + "/" + name;
    if (llvm::sys::fs::exists(path)) return path;
  }
  return std::nullopt;
}

std::string required_library(const std::string& name, const char* why, const char* package) {
  if (auto path = find_library(name)) return *path;
  throw BuildError(std::string(why) + " needs the library " + name +
                   ", which is not on this machine (Debian: package " + package + ")");
}

}  // namespace

std::string_view native_version_script() {
  return "{ global: kernel_*; conclave_*; local: *; };\n";
}

std::vector<std::string> native_libraries(const NativeCode& native) {
  std::vector<std::string> paths = {required_library("libc.so.6", "C code", "libc6"),
                                    required_library("libm.so.6", "C code", "libc6")};
  // Operations that the CPU has no instruction for, as the division of 128-bit numbers.
  if (auto path = find_library("libgcc_s.so.1")) paths.push_back(*path);
  if (native.uses_openmp())
    paths.push_back(required_library(binary::kOpenMpLibrary, "C code with OpenMP", "libomp5-19"));
  return paths;
}

// Symbols that come from a library are noted with their version, since all of these libraries have
// versions.
void check_undefined(std::string_view program, const NativeCode& native) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(program.data(), program.size()), "program"));
  if (!object) throw BuildError(llvm::toString(object.takeError()));
  const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**object);
  auto versions = elf.readDynsymVersions();
  if (!versions) throw BuildError(llvm::toString(versions.takeError()));
  std::string errors;
  size_t index = 0;
  for (const llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) {
    const bool has_version = index < versions->size() && !(*versions)[index].Name.empty();
    ++index;
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) throw BuildError("unreadable symbol in the linked program");
    using llvm::object::SymbolRef;
    if (!(*flags & SymbolRef::SF_Undefined) || (*flags & SymbolRef::SF_Weak) || has_version)
      continue;
    errors += (errors.empty() ? "undefined symbol '" : "\nerror: undefined symbol '") +
              name->str() + "'" + native.describe_use(*name);
  }
  if (!errors.empty()) throw BuildError(errors);
}

std::string name_objects(std::string messages, const std::string& archive_path) {
  const auto erase_all = [&](const std::string& text) {
    size_t at = 0;
    while (!archive_path.empty() && (at = messages.find(text)) != messages.npos)
      messages.erase(at, text.size());
  };
  erase_all(" in archive " + archive_path);
  erase_all(archive_path);
  if (messages.find("-fPIC") != messages.npos)
    messages += "error: C code of programs has to be position independent: compile with -fPIC\n";
  return messages;
}

}  // namespace conclave::compiler
