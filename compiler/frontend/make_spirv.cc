// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/make_spirv.h"

#include <optional>
#include <utility>

#include "compiler/frontend/frontend.h"
#include "compiler/frontend/tool.h"

namespace conclave::compiler {
namespace {

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
  const Tool clang("clang-15", "clang-15");
  const Tool translator("llvm-spirv-15", "llvm-spirv-15");
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
