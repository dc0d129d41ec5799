// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/frontend.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <unistd.h>
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>

#include "compiler/builtins/embedded.h"
#include "conclave/device_features.h"

namespace conclave::compiler {
namespace {

// The folder that the source and the headers of a request appear to be in; it exists in memory only
// and comes before the real file system.
constexpr char kVirtualFolder[] = "/.conclave/program";
constexpr char kResourceFolder[] = "/.conclave/clang";

// Two functions that OpenCL C has here in addition. Both end the kernel.
constexpr char kDeclarations[] = "\nvoid abort(void);\nvoid exit(int code);\n";

// clang's extension. C headers that kernels share with C code may declare such functions; who
// defines or calls one is refused (CheckTypes).
constexpr char kVariadicFunctions[] = "__cl_clang_variadic_functions";

// A source that is no program would be read to its end.
constexpr char kMostErrors[] = "100";

// C has another definition of an `inline` function somewhere else, for calls that are not inlined. In
// programs of OpenCL C there is none, so its own has to serve: in each object that has one, of which
// the linker takes any.
class KeepInlineDefinitions : public clang::ASTConsumer {
 public:
  void Initialize(clang::ASTContext& context) override { context_ = &context; }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
      if (function && function->isThisDeclarationADefinition() && function->isInlined() &&
          function->isExternallyVisible() && !function->hasAttr<clang::WeakAttr>())
        function->addAttr(clang::WeakAttr::CreateImplicit(*context_));
    }
    return true;
  }

 private:
  clang::ASTContext* context_ = nullptr;
};

// Generates IR and keeps the module; clang's own EmitLLVMOnlyAction would link its whole back end.
class GenerateModule : public clang::ASTFrontendAction {
 public:
  explicit GenerateModule(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> take() { return std::move(module_); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef file) override {
    generator_ =
        clang::CreateLLVMCodeGen(instance.getDiagnostics(), file, &instance.getVirtualFileSystem(),
                                 instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
                                 instance.getCodeGenOpts(), context_);
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<KeepInlineDefinitions>());
    consumers.emplace_back(generator_);
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
  void EndSourceFileAction() override {
    if (!getCompilerInstance().getDiagnostics().hasErrorOccurred())
      module_.reset(generator_->ReleaseModule());
  }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;
  std::unique_ptr<llvm::Module> module_;
};

std::string language_name(int language) {
  return "CL" + std::to_string(language / 100) + "." + std::to_string(language / 10 % 10);
}

void add_feature_arguments(const Options& options, std::vector<std::string>& args) {
  // The header takes __SPIR__ as a promise of every feature there is.
  for (const char* macro : {"__SPIR__", "__SPIR64__"}) args.insert(args.end(), {"-U", macro});
  std::string extensions = "-cl-ext=-all";
  for (const char* name : kLanguageExtensions) extensions += std::string(",+") + name;
  // Most of these clang knows by their macros alone; a pragma may name the others.
  const auto define = [&](const char* name) {
    args.insert(args.end(), {"-D", std::string(name) + "=1"});
    extensions += std::string(",+") + name;
  };
  for (const char* name : kSubGroupExtensions) define(name);
  for (const auto& extension : kFunctionExtensions) define(extension.name);
  for (const char* name : kExtensionFeatures) define(name);
  if (options.language >= 200) {
    define(kFloatAtomics);
    for (const char* name : kFloatAtomicFeatures) define(name);
  }
  if (options.language >= 300) {
    // clang defines only those that it must know itself.
    for (const char* name : kLanguageFeatures) define(name);
  }
  extensions += std::string(",+") + kVariadicFunctions;
  args.insert(args.end(), {"-U", kVariadicFunctions});
  args.push_back(extensions);
  args.insert(args.end(), {"-D", "__OPENCL_VERSION__=300"});
}

void add_math_arguments(const Options& options, std::vector<std::string>& args) {
  auto add = [&](bool condition, const char* arg) {
    if (condition) args.push_back(arg);
  };
  add(options.single_precision_constants, "-cl-single-precision-constant");
  add(options.finite_math_only, "-cl-finite-math-only");
  add(options.unsafe_math, "-cl-unsafe-math-optimizations");
  add(options.fast_relaxed_math, "-cl-fast-relaxed-math");
  add(options.mad_enable, "-cl-mad-enable");
  add(options.no_signed_zeros, "-fno-signed-zeros");
  add(options.denorms_are_zero, "-fdenormal-fp-math=preserve-sign,preserve-sign");
  add(options.correctly_rounded_divide_sqrt, "-cl-fp32-correctly-rounded-divide-sqrt");
  // `a * b + c` may always become one fma in OpenCL C; across statements only where asked for.
  args.push_back(options.mad_enable ? "-ffp-contract=fast" : "-ffp-contract=on");
}

void add_code_arguments(const Options& options, std::vector<std::string>& args) {
  args.push_back(options.optimize ? "-O2" : "-O0");
  if (!options.optimize) args.push_back("-disable-O0-optnone");
  if (!options.strict_aliasing) args.push_back("-relaxed-aliasing");
  if (options.uniform_work_group_size || options.language < 200)
    args.push_back("-cl-uniform-work-group-size");
  if (options.debug_info)
    args.insert(args.end(), {"-debug-info-kind=limited", "-dwarf-version=5"});
  else if (options.verbose || options.check)  // the pipeline takes them away again
    args.insert(args.end(), {"-debug-info-kind=line-tables-only", "-dwarf-version=5"});
  args.insert(args.end(), {"-ferror-limit", kMostErrors});
  if (options.no_warnings) args.push_back("-w");
  if (options.warnings_are_errors) args.push_back("-Werror");
}

std::string current_folder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : "/";
}

std::vector<std::string> front_end_arguments(const Options& options, const Source& source,
                                             bool context_discards_names) {
  std::vector<std::string> args = language_arguments(options);
  args.insert(args.end(), {"-resource-dir", kResourceFolder, "-working-directory", kVirtualFolder,
                           "-mrelocation-model", "pic", "-pic-level", "2"});
  // clang sets the context's own switch by this.
  if (context_discards_names) args.push_back("-discard-value-names");
  if (source.fast_fma) args.insert(args.end(), {"-D", "FP_FAST_FMAF=1", "-D", "FP_FAST_FMA=1"});
  for (const std::string& define : options.defines) args.insert(args.end(), {"-D", define});
  std::string folder = current_folder();
  args.insert(args.end(), {"-I", kVirtualFolder});
  for (std::string dir : options.include_dirs) {
    if (!llvm::sys::path::is_absolute(dir)) dir = folder + "/" + dir;
    args.insert(args.end(), {"-I", dir});
  }
  args.insert(args.end(), {"-iquote", folder, source.name});
  return args;
}

std::string hash_of(llvm::StringRef content) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(content.data(), content.size()));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<Dependency> collect_dependencies(const clang::SourceManager& sources,
                                             llvm::vfs::FileSystem& in_memory) {
  std::vector<Dependency> dependencies;
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    llvm::SmallString<256> path(it->first.getName());
    if (!llvm::sys::path::is_absolute(path)) continue;  // named relative to the virtual folder
    if (in_memory.exists(path) || !it->second) continue;
    auto buffer = it->second->getBufferIfLoaded();
    if (!buffer) continue;
    dependencies.push_back(make_dependency(path, buffer->getBuffer()));
  }
  return dependencies;
}

// Whether a program may name functions that begin so. Reading the declarations of an extension takes
// longer than reading most programs.
bool may_name(const char* beginning, const Options& options, const Source& source) {
  const auto may = [&](const std::string& text) {
    return text.find(beginning) != text.npos || text.find("include") != text.npos;
  };
  return may(source.text) ||
         std::any_of(source.headers.begin(), source.headers.end(),
                     [&](const auto& header) { return may(header.second); }) ||
         std::any_of(options.defines.begin(), options.defines.end(), may);
}

MemoryFiles make_memory_files(const Options& options, const Source& source) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  (void)files->setCurrentWorkingDirectory(kVirtualFolder);  // in memory, nothing can fail
  const auto add_header = [&](const char* name, std::string_view text) {
    files->addFile(std::string(kResourceFolder) + "/include/" + name, 0,
                   llvm::MemoryBuffer::getMemBuffer({text.data(), text.size()}, name, false));
  };
  // Every program includes the base header, and so TI's functions.
  static const std::string base = std::string(embedded::base_header()) + kDeclarations +
                                  "#pragma OPENCL EXTENSION " + kVariadicFunctions +
                                  " : enable\n#include <ti_device.h>\n";
  std::string declarations = base;
  if (may_name("intel_sub_group_", options, source))
    declarations += "#include <intel_sub_groups.h>\n";
  if (may_name("work_group_", options, source))
    declarations += "#include <work_group_extensions.h>\n";
  const auto add = [&](const std::string& name, const std::string& text) {
    files->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(text, name));
  };
  add(std::string(kResourceFolder) + "/include/opencl-c-base.h", declarations);
  add_header("intel_sub_groups.h", embedded::intel_sub_groups_header());
  add_header("work_group_extensions.h", embedded::work_group_extensions_header());
  add_header("ti_device.h", embedded::ti_device_header());
  add_header("dsp_c.h", embedded::dsp_c_header());
  add_header("dsp_edmamgr.h", embedded::dsp_edmamgr_header());
  add_header("conclave/device_calls.def", embedded::device_calls());
  // Makes the folder exist where the source has an absolute name: clang looks into "." unasked.
  add(".folder", "");
  for (const auto& [name, text] : source.headers) add(name, text);
  add(source.name, source.text);
  return files;
}

// Somebody may have removed the working directory; LLVM's overlays crash without one.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real_files() {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files(
      llvm::vfs::createPhysicalFileSystem().release());
  // The root can always be entered.
  if (!files->getCurrentWorkingDirectory()) (void)files->setCurrentWorkingDirectory("/");
  return files;
}

}  // namespace

Dependency make_dependency(llvm::StringRef path, llvm::StringRef content) {
  llvm::SmallString<256> absolute(path);
  if (!llvm::sys::path::is_absolute(path)) {
    absolute = current_folder();
    llvm::sys::path::append(absolute, path);
  }
  llvm::sys::path::remove_dots(absolute, true);
  return {std::string(absolute), hash_of(content)};
}

FrontEndResult run_clang(llvm::LLVMContext& context, const std::vector<std::string>& arguments,
                         const MemoryFiles& in_memory, std::string& log) {
  llvm::raw_string_ostream log_stream(log);
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(real_files());
  files->pushOverlay(in_memory);

  clang::CompilerInstance instance;
  instance.setVerboseOutputStream(log_stream);
  auto* printer = new clang::TextDiagnosticPrinter(log_stream, new clang::DiagnosticOptions());
  instance.createDiagnostics(printer, /*ShouldOwnClient=*/true);

  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  FrontEndResult result;
  if (!clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), pointers,
                                                 instance.getDiagnostics()))
    return result;
  instance.createDiagnostics(
      new clang::TextDiagnosticPrinter(log_stream, &instance.getDiagnosticOpts()), true);
  instance.createFileManager(files);

  GenerateModule action(context);
  instance.ExecuteAction(action);
  if (instance.hasSourceManager())
    result.dependencies = collect_dependencies(instance.getSourceManager(), *in_memory);
  result.module = action.take();
  return result;
}

std::vector<std::string> language_arguments(const Options& options) {
  std::vector<std::string> args = {"-triple",
                                   "spir64-unknown-unknown",
                                   "-x",
                                   "cl",
                                   "-cl-std=" + language_name(options.language),
                                   "-fdeclare-opencl-builtins",
                                   "-finclude-default-header",
                                   "-cl-kernel-arg-info"};
  add_feature_arguments(options, args);
  add_math_arguments(options, args);
  add_code_arguments(options, args);
  return args;
}

FrontEndResult compile_source(llvm::LLVMContext& context, const Source& source,
                              const Options& options, std::string& log) {
  return run_clang(context, front_end_arguments(options, source, context.shouldDiscardValueNames()),
                   make_memory_files(options, source), log);
}

}  // namespace conclave::compiler
