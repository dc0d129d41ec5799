// SPDX-License-Identifier: Apache-2.0
// Other programs that the front end runs, and the files between them.
#ifndef CONCLAVE_COMPILER_FRONTEND_TOOL_H_
#define CONCLAVE_COMPILER_FRONTEND_TOOL_H_

#include <string>
#include <string_view>
#include <vector>

namespace conclave::compiler {

// A file between two programs. It has no name outside of this process and its children, so that
// nothing is left of it however they end.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = "");
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  // Children inherit the descriptor and can use the path too.
  std::string path() const;
  std::string content() const;

 private:
  int descriptor_;
};

// A program of one of Debian's packages, found in PATH.
class Tool {
 public:
  // Throws BuildError if it is not there.
  explicit Tool(const std::string& name, const std::string& package);

  // Returns what it writes to standard output. Throws BuildError if it fails, with what it writes
  // to standard error; `purpose` is for that message.
  MemoryFile run(const std::vector<std::string>& arguments, const std::string& input,
                 const std::string& purpose) const;

 private:
  std::string name_;
  std::string path_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_TOOL_H_
