// SPDX-License-Identifier: Apache-2.0
#include "compiler/native/c_source.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>

#include "compiler/base/analyses.h"
#include "compiler/builtins/embedded.h"
#include "compiler/codegen/codegen.h"
#include "compiler/frontend/frontend.h"

namespace conclave::compiler {
namespace {

// The compiler's own headers (stddef.h, immintrin.h, omp.h); GCC's will do for most.
constexpr const char* kCompilerHeaders[] = {"/usr/lib/llvm-19/lib/clang/19/include",
                                            "/usr/lib/clang/19/include",
                                            "/usr/lib/gcc/x86_64-linux-gnu/12/include"};
constexpr const char* kSystemHeaders[] = {"/usr/local/include", "/usr/include/x86_64-linux-gnu",
                                          "/usr/include"};

// TI's headers appear to be in this folder, which exists in memory only.
constexpr char kTiHeaders[] = "/.conclave/ti";

MemoryFiles ti_headers() {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](const char* name, std::string_view text) {
    files->addFile(std::string(kTiHeaders) + "/" + name, 0,
                   llvm::MemoryBuffer::getMemBuffer({text.data(), text.size()}, name, false));
  };
  add("dsp_c.h", embedded::c_dsp_c_header());
  add("dsp_edmamgr.h", embedded::c_dsp_edmamgr_header());
  return files;
}

void add_code_arguments(const Options& options, const Target& target,
                        std::vector<std::string>& args) {
  args.insert(args.end(),
              {"-triple", target.machine().getTargetTriple().str(), "-target-cpu", target.cpu()});
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(target.feature_text()).split(features, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef feature : features)
    args.insert(args.end(), {"-target-feature", feature.str()});
  args.insert(args.end(), {"-mrelocation-model", "pic", "-pic-level", "2", "-ffp-contract=on"});
  args.push_back(options.optimize ? "-O2" : "-O0");
  if (!options.optimize) args.push_back("-disable-O0-optnone");
  if (options.debug_info) args.insert(args.end(), {"-debug-info-kind=limited", "-dwarf-version=5"});
}

std::vector<std::string> c_arguments(const std::string& path, const Options& options,
                                     bool has_openmp, const Target& target) {
  // glibc's headers want a compiler that calls itself GNU's; clang's driver gives this version.
  std::vector<std::string> args = {"-x", "c", "-std=gnu17", "-fgnuc-version=4.2.1"};
  add_code_arguments(options, target, args);
  // Programs have no thread-local variables; OpenMP's library has a place for them.
  if (has_openmp) args.insert(args.end(), {"-fopenmp", "-fnoopenmp-use-tls"});
  if (options.no_warnings) args.push_back("-w");
  if (options.warnings_are_errors) args.push_back("-Werror");
  for (const std::string& define : options.defines) args.insert(args.end(), {"-D", define});
  for (const std::string& folder : options.include_dirs) args.insert(args.end(), {"-I", folder});
  args.insert(args.end(), {"-internal-isystem", kTiHeaders});
  for (const char* folder : kCompilerHeaders) {
    if (!llvm::sys::fs::exists(folder)) continue;
    args.insert(args.end(), {"-internal-isystem", folder});
    break;
  }
  for (const char* folder : kSystemHeaders)
    args.insert(args.end(), {"-internal-externc-isystem", folder});
  args.push_back(path);
  return args;
}

void optimize(llvm::Module& module, const Target& target, bool is_wanted) {
  Analyses analyses;
  llvm::PassBuilder builder(&target.machine(), {}, {}, analyses.instrumentation());
  analyses.add_all(builder);
  llvm::ModulePassManager passes =
      is_wanted ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
                : builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  passes.run(module, analyses.module);
}

}  // namespace

std::string compile_c(const std::string& path, const Options& options, bool has_openmp,
                      const Target& target, std::string& log) {
  llvm::LLVMContext context;
  const std::vector<std::string> arguments = c_arguments(path, options, has_openmp, target);
  const size_t before = log.size();
  FrontEndResult result = run_clang(context, arguments, ti_headers(), log);
  if (!result.module) {
    if (log.find("file not found", before) != log.npos)
      log +=
          "note: the headers of C come with Debian's packages libc6-dev and "
          "libclang-common-19-dev, OpenMP's with libomp-19-dev\n";
    return "";
  }
  target.apply_to(*result.module);
  optimize(*result.module, target, options.optimize);
  return options.optimize
             ? generate_code(*result.module, target, target.machine().getOptLevel(), Effort::kUsual)
             : generate_code(*result.module, target, llvm::CodeGenOptLevel::None, Effort::kNone);
}

}  // namespace conclave::compiler
