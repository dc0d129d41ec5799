// SPDX-License-Identifier: Apache-2.0
#include "compiler/native/native_code.h"

#include <llvm/BinaryFormat/Magic.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Object/ELFObjectFile.h>

#include <utility>

#include "compiler/base/error.h"
#include "conclave/program_binary.h"

namespace conclave::compiler {
namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::SymbolRef;

llvm::StringRef as_ref(std::string_view text) {
  return {text.data(), text.size()};
}

[[noreturn]] void bad_object(const std::string& name, const std::string& what) {
  throw BuildError("'" + name + "' " + what);
}

[[noreturn]] void bad_object(const std::string& name, llvm::Error error) {
  bad_object(name, "cannot be read: " + llvm::toString(std::move(error)));
}

// A value that llvm::object found in an object, or the end of the build.
template <class T>
T value_of(llvm::Expected<T> value, const std::string& name) {
  if (!value) bad_object(name, value.takeError());
  return std::move(*value);
}

bool is_openmp_function(llvm::StringRef name) {
  for (const char* prefix : {"__kmpc_", "GOMP_", "omp_", "kmp_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

void check_section(const llvm::object::SectionRef& section, const std::string& name) {
  const auto text = value_of(section.getName(), name);
  for (const char* constructors : {".init_array", ".ctors", ".preinit_array", ".fini_array"})
    if (text.starts_with(constructors))
      bad_object(name, "has constructors or destructors, which programs do not run");
}

}  // namespace

bool is_archive(std::string_view file) {
  return llvm::identify_magic(as_ref(file)) == llvm::file_magic::archive;
}

bool is_native_object(std::string_view file) {
  if (llvm::identify_magic(as_ref(file)) != llvm::file_magic::elf_relocatable) return false;
  auto object =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(as_ref(file), "object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return false;
  }
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    auto name = section.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == binary::kNoteSection)
      return false;
  }
  return true;
}

std::vector<NativeObject> read_archive(const std::string& name, std::string_view file) {
  auto archive = llvm::object::Archive::create({as_ref(file), name});
  if (!archive) bad_object(name, archive.takeError());
  std::vector<NativeObject> members;
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child& member : (*archive)->children(error)) {
    auto buffer = member.getMemoryBufferRef();
    if (!buffer) {
      llvm::consumeError(std::move(error));
      bad_object(name, buffer.takeError());
    }
    members.push_back(
        {name + "(" + buffer->getBufferIdentifier().str() + ")", buffer->getBuffer().str()});
  }
  if (error) bad_object(name, std::move(error));
  return members;
}

void NativeCode::add(NativeObject object) {
  auto elf = value_of(llvm::object::ObjectFile::createELFObjectFile(
                          llvm::MemoryBufferRef(object.code, object.name)),
                      object.name);
  if (elf->getArch() != llvm::Triple::x86_64) bad_object(object.name, "has no code for x86-64");
  for (const auto& section : elf->sections()) check_section(section, object.name);
  Entry entry{std::move(object), {}};
  const std::string& name = entry.object.name;
  for (const llvm::object::ELFSymbolRef symbol : llvm::cast<ELFObjectFileBase>(*elf).symbols()) {
    const llvm::StringRef text = value_of(symbol.getName(), name);
    if (symbol.getELFType() == llvm::ELF::STT_TLS)
      bad_object(name,
                 "has the thread-local variable '" + text.str() + "', which programs cannot have");
    const uint32_t flags = value_of(symbol.getFlags(), name);
    if (flags & SymbolRef::SF_Undefined) {
      if (!text.empty()) entry.undefined.insert(text);
      uses_openmp_ |= is_openmp_function(text);
    } else if ((flags & SymbolRef::SF_Global) && symbol.getELFType() == llvm::ELF::STT_FUNC) {
      functions_.insert(text);
    }
  }
  objects_.push_back(std::move(entry));
}

void NativeCode::add_archive(std::string_view archive) {
  for (NativeObject& object : read_archive("native code", archive)) {
    // The name that it was given by archive().
    const size_t begin = object.name.find('(') + 1;
    object.name = object.name.substr(begin, object.name.size() - begin - 1);
    add(std::move(object));
  }
}

std::string NativeCode::describe_use(llvm::StringRef symbol) const {
  for (const Entry& entry : objects_)
    if (entry.undefined.contains(symbol)) return ", used in '" + entry.object.name + "'";
  return "";
}

std::string NativeCode::archive() const {
  if (objects_.empty()) return "";
  std::vector<llvm::NewArchiveMember> members;
  for (const Entry& entry : objects_)
    members.emplace_back(llvm::MemoryBufferRef(entry.object.code, entry.object.name));
  auto buffer =
      value_of(llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                          llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                          /*Thin=*/false),
               "native code");
  return buffer->getBuffer().str();
}

}  // namespace conclave::compiler
