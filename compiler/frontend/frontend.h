// SPDX-License-Identifier: Apache-2.0
// OpenCL C to LLVM IR for the virtual target spir64, with clang in this process.
#ifndef CONCLAVE_COMPILER_FRONTEND_FRONTEND_H_
#define CONCLAVE_COMPILER_FRONTEND_FRONTEND_H_

#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/options.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

struct Source {
  std::string name;  // as diagnostics show it
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  // include name, text
  bool fast_fma = false;                                     // the target has an instruction for it
};

struct FrontEndResult {
  std::unique_ptr<llvm::Module> module;  // null: the log has the errors
  std::vector<Dependency> dependencies;  // files that the program's meaning depends on
};

// A file of this content.
Dependency make_dependency(llvm::StringRef path, llvm::StringRef content);

using MemoryFiles = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

// Runs clang's front end. The files in memory come before those of the machine. Diagnostics are
// appended to `log`.
FrontEndResult run_clang(llvm::LLVMContext& context, const std::vector<std::string>& arguments,
                         const MemoryFiles& in_memory, std::string& log);

// The arguments of clang's cc1 that say what language the options ask for, and for what target, but
// without folders and macros. Clang 15 knows them too.
std::vector<std::string> language_arguments(const Options& options);

// Compiles one source. Diagnostics are appended to `log`.
FrontEndResult compile_source(llvm::LLVMContext& context, const Source& source,
                              const Options& options, std::string& log);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_FRONTEND_H_
