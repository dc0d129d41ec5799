// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/tool.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "compiler/base/error.h"

namespace conclave::compiler {

MemoryFile::MemoryFile(std::string_view content) : descriptor_(memfd_create("conclave", 0)) {
  if (descriptor_ < 0) throw BuildError("no memory for a file");
  for (size_t done = 0; done < content.size();) {
    const ssize_t written =
        pwrite(descriptor_, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (written <= 0) throw BuildError("no memory for a file");
    done += static_cast<size_t>(written);
  }
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/dev/fd/" + std::to_string(descriptor_);
}

std::string MemoryFile::content() const {
  const auto buffer = llvm::MemoryBuffer::getFile(path());
  if (!buffer) throw BuildError("cannot read " + path() + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Tool::Tool(const std::string& name, const std::string& package) : name_(name) {
  const auto path = llvm::sys::findProgramByName(name);
  if (!path)
    throw BuildError("SPIR-V needs " + name + ", which is not in PATH; it comes with Debian's " +
                     "package " + package);
  path_ = *path;
}

MemoryFile Tool::run(const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& purpose) const {
  MemoryFile output;
  const MemoryFile errors;
  const std::string output_path = output.path();
  const std::string errors_path = errors.path();
  std::vector<llvm::StringRef> words = {name_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::string message;
  const int status = llvm::sys::ExecuteAndWait(path_, words, /*Env=*/std::nullopt,
                                               {input, output_path, errors_path},
                                               /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0) return output;
  const std::string text = llvm::StringRef(errors.content()).trim().str();
  if (!text.empty()) message = text;
  if (message.empty()) message = "exit status " + std::to_string(status);
  throw BuildError(name_ + " cannot " + purpose + ": " + message);
}

}  // namespace conclave::compiler
