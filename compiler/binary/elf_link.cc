// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/elf_link.h"

#include <fcntl.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Object/ELFObjectFile.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/builtins/embedded.h"
#include "compiler/native/native_link.h"
#include "compiler/workgroup/builtins_link.h"

LLD_HAS_DRIVER(elf)

namespace conclave::compiler {
namespace {

// A file without a name, for a linker that reads and writes files.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name, std::string_view content = {})
      : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("create");
    while (!content.empty()) {
      ssize_t written = write(descriptor_, content.data(), content.size());
      if (written < 0) fail("write");
      content.remove_prefix(static_cast<size_t>(written));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  std::string content() const {
    struct stat status;
    if (fstat(descriptor_, &status) != 0) fail("stat");
    std::string text(static_cast<size_t>(status.st_size), '\0');
    for (size_t done = 0; done < text.size();) {
      ssize_t got = pread(descriptor_, &text[done], text.size() - done, static_cast<off_t>(done));
      if (got <= 0) fail("read");
      done += static_cast<size_t>(got);
    }
    return text;
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw BuildError(std::string("cannot ") + what + " a memory file: " + std::strerror(errno));
  }
  int descriptor_;
};

// Sends standard output to a file for a while. lld writes regular files through a temporary one in
// the same folder, which a memory file does not have; to "-" it writes directly.
class OutputRedirection {
 public:
  explicit OutputRedirection(const MemoryFile& target)
      : saved_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
    dup2(target.descriptor(), STDOUT_FILENO);
  }
  OutputRedirection(const OutputRedirection&) = delete;
  OutputRedirection& operator=(const OutputRedirection&) = delete;
  ~OutputRedirection() {
    llvm::outs().flush();
    if (saved_ >= 0) {
      dup2(saved_, STDOUT_FILENO);
      close(saved_);
    } else {
      close(STDOUT_FILENO);
    }
  }

 private:
  int saved_;  // -1: there was no standard output
};

struct Needs {
  bool sleef = false;
  bool libm = false;
  bool leave = false;   // abort() or exit()
  bool native = false;  // C code
};

// Calls `visit` with the name of each global symbol of an object and whether it is undefined.
template <class Visit>
void for_each_symbol(std::string_view code, Visit visit) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(code.data(), code.size()), "code"));
  if (!object) throw BuildError(llvm::toString(object.takeError()));
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) throw BuildError("unreadable symbol in the generated code");
    const bool is_undefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    if (!name->empty() && (is_undefined || *flags & llvm::object::SymbolRef::SF_Global))
      visit(*name, is_undefined);
  }
}

// Looks at what the code generator left undefined. Anything that neither another object of the
// program nor a library is known to have would make loading fail, so it is an error here.
Needs find_needs(const std::vector<std::string>& objects, const NativeCode& native) {
  llvm::StringSet<> defined, undefined;
  for (const std::string& object : objects)
    for_each_symbol(object, [&](llvm::StringRef name, bool is_undefined) {
      (is_undefined ? undefined : defined).insert(name);
    });
  Needs needs;
  for (const llvm::StringRef name : undefined.keys()) {
    if (defined.contains(name)) continue;
    if (native.defines(name))
      needs.native = true;
    else if (is_leaving_function(name))
      needs.leave = true;
    else if (is_sleef_function(name))
      needs.sleef = true;
    else if (is_libm_function(name))
      needs.libm = true;
    else if (!is_external_function(name) && name != "_GLOBAL_OFFSET_TABLE_")
      throw BuildError("the code needs '" + name.str() + "', which no library provides");
  }
  return needs;
}

}  // namespace

std::string link_executable(const std::vector<std::string>& objects, std::string_view parts,
                            const NativeCode& native) {
  const Needs needs = find_needs(objects, native);
  std::list<MemoryFile> files;
  for (const std::string& object : objects) files.emplace_back("code.o", object);
  files.emplace_back("parts.o", parts);
  std::vector<std::string> words = {
      "ld.lld", "-shared", "-Bsymbolic", "--hash-style=gnu", "--threads=1", "--no-as-needed",
      "-z",     "relro",   "-z",         "noexecstack",      "-o",          "-"};
  const auto add_file = [&](const char* name, std::string_view content) -> const MemoryFile& {
    return files.emplace_back(name, content);
  };
  // Objects first, what they need after it: an archive gives what is missing so far.
  std::string native_path;
  if (needs.native) native_path = add_file("native", native.archive()).path();
  if (needs.native || needs.leave) add_file("support", embedded::native_support());
  if (needs.sleef) add_file("sleef", embedded::sleef_archive());
  if (needs.libm && !needs.native) add_file("libm", embedded::libm_stub());
  for (const MemoryFile& file : files) words.push_back(file.path());
  if (needs.native || needs.leave)
    words.push_back("--version-script=" + add_file("versions", native_version_script()).path());
  if (needs.native) {
    words.push_back("--as-needed");
    for (std::string& library : native_libraries(native)) words.push_back(std::move(library));
    if (native.uses_openmp()) words.push_back("--undefined=conclave_openmp_set_threads");
  }
  const MemoryFile output("program");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  bool linked;
  {
    OutputRedirection redirection(output);
    // The symbols of a program that this process has linked before would count as well.
    if (lld::hasContext()) lld::CommonLinkerContext::destroy();
    linked = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false,
                            /*disableOutput=*/false);
  }
  if (!linked) throw BuildError("linking failed: " + name_objects(messages, native_path));
  std::string program = output.content();
  if (needs.native) check_undefined(program, native);
  return program;
}

}  // namespace conclave::compiler
