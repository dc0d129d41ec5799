// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/frontend/frontend.h"

namespace conclave::compiler {
namespace {

// A file between two programs. It has no name outside of this process and its children, so that
// nothing is left of it however they end.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("spirv", 0)) {
    if (descriptor_ < 0) throw BuildError("no memory for a file");
  }
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // For children too, which inherit the descriptor.
  std::string path() const { return "/dev/fd/" + std::to_string(descriptor_); }
  std::string content() const {
    const auto buffer = llvm::MemoryBuffer::getFile(path());
    if (!buffer) throw BuildError("cannot read " + path() + ": " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }

 private:
  int descriptor_;
};

// A program of Debian's package of the same name.
class Tool {
 public:
  explicit Tool(const std::string& name) : name_(name) {
    const auto path = llvm::sys::findProgramByName(name);
    if (!path)
      throw BuildError("SPIR-V is made with " + name + ", which is not in PATH; it comes with " +
                       "Debian's package " + name);
    path_ = *path;
  }

  // Returns what it writes to standard output. `purpose` is for the message where it fails.
  MemoryFile run(const std::vector<std::string>& arguments, const std::string& input,
                 const std::string& purpose) const {
    MemoryFile output;
    const std::string output_path = output.path();
    std::vector<llvm::StringRef> words = {name_};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::string message;
    const int status = llvm::sys::ExecuteAndWait(path_, words, /*Env=*/std::nullopt,
                                                 {input, output_path, std::nullopt},
                                                 /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
    if (status == 0) return output;
    if (message.empty()) message = "exit status " + std::to_string(status);
    throw BuildError(name_ + " cannot " + purpose + ": " + message);
  }

 private:
  std::string name_;
  std::string path_;
};

std::vector<std::string> clang_arguments(const std::string& source, Options options) {
  // The caller's front end has warned already.
  options.no_warnings = true;
  options.verbose = false;
  std::vector<std::string> args = {"-cc1", "-emit-llvm-bc", "-disable-llvm-passes"};
  for (std::string& argument : language_arguments(options)) args.push_back(std::move(argument));
  // The translator reads pointers with types only.
  args.push_back("-no-opaque-pointers");
  // C's inline functions have no code outside of their callers, and would become imports.
  for (const char* keyword : {"inline", "__inline", "__inline__"})
    args.insert(args.end(), {"-D", std::string(keyword) + "="});
  for (const std::string& define : options.defines) args.insert(args.end(), {"-D", define});
  for (const std::string& folder : options.include_dirs) args.insert(args.end(), {"-I", folder});
  args.insert(args.end(), {"-iquote", ".", "-o", "-", source});
  return args;
}

}  // namespace

std::string make_spirv(const std::vector<std::string>& sources, const Options& options) {
  const Tool clang("clang-15");
  const Tool translator("llvm-spirv-15");
  std::optional<MemoryFile> bitcode;
  for (const std::string& source : sources) {
    std::vector<std::string> arguments = clang_arguments(source, options);
    // Each is linked to those before, which saves a linker.
    if (bitcode) arguments.insert(arguments.end(), {"-mlink-bitcode-file", bitcode->path()});
    bitcode = clang.run(arguments, "/dev/null", "compile '" + source + "'");
  }
  // Left alone, it calls every module 1.4, which few drivers take; with this limit it is 1.0, or up
  // to 1.3 where sub-groups need that.
  return translator
      .run({"--spirv-max-version=1.3", "--spirv-ext=+SPV_KHR_subgroup_rotate", "-o", "-", "-"},
           bitcode->path(), "translate the program")
      .content();
}

}  // namespace conclave::compiler
