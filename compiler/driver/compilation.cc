// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/compilation.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/version.h"
#include "compiler/binary/binary_file.h"
#include "compiler/binary/elf_link.h"
#include "compiler/binary/link.h"
#include "compiler/binary/metadata.h"
#include "compiler/codegen/codegen.h"
#include "compiler/codegen/kernel_parts.h"
#include "compiler/codegen/outlined_functions.h"
#include "compiler/codegen/parallel_codegen.h"
#include "compiler/driver/report.h"
#include "compiler/driver/second_try.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/options.h"
#include "compiler/frontend/read_spirv.h"
#include "compiler/native/native_code.h"
#include "compiler/pipeline/kernels.h"
#include "compiler/workgroup/lower_streams.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {
namespace {

using protocol::Action;
using protocol::Response;
using protocol::Status;

std::string print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string to_bitcode(const llvm::Module& module) {
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return std::string(bitcode);
}

// LLVM's own complaints, for instance about inline assembly, belong in the log.
class DiagnosticCollector : public llvm::DiagnosticHandler {
 public:
  explicit DiagnosticCollector(std::string& log, bool& failed) : log_(log), failed_(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() > llvm::DS_Warning) return true;  // remarks and notes
    bool is_error = info.getSeverity() == llvm::DS_Error;
    failed_ |= is_error;
    llvm::raw_string_ostream stream(log_);
    stream << (is_error ? "error: " : "warning: ");
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << "\n";
    return true;
  }

 private:
  std::string& log_;
  bool& failed_;
};

// Leaves `all` sorted and each once.
void add_features(const std::vector<std::string>& some, std::vector<std::string>& all) {
  llvm::append_range(all, some);
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
}

bool is_report(Extras::Output output) {
  return output == Extras::Output::kReport || output == Extras::Output::kJsonReport;
}

class Compilation {
 public:
  Compilation(const protocol::Request& request, Extras& extras)
      : request_(request),
        extras_(extras),
        options_(parse_options(request.options, request.action)) {
    context_.setDiagnosticHandler(
        std::make_unique<DiagnosticCollector>(response_.log, diagnosed_error_));
    // Names cost time and memory, and only people read them.
    context_.setDiscardValueNames(extras.output == Extras::Output::kBinary && !options_.check);
    if (is_report(extras.output)) options_.verbose = true;
    set_tuning(options_.tuning);
  }

  Response run() {
    std::unique_ptr<llvm::Module> module = make_module();
    if (module) response_.binary = finish(*module);
    if (!diagnosed_error_ && module) response_.status = Status::kSuccess;
    extras_.times.end();
    return std::move(response_);
  }

 private:
  std::unique_ptr<llvm::Module> make_module() {
    collect_native();
    switch (request_.action) {
      case Action::kBuild:
      case Action::kCompile:
        return compile();
      case Action::kLink:
      case Action::kRebuild:
        extras_.times.begin("link");
        return link_inputs(context_, request_, options_, native_, program_.native_features,
                           response_.log);
    }
    throw BuildError("unknown action " + std::to_string(static_cast<uint32_t>(request_.action)));
  }

  // The C code that the caller or the options name; what inputs have comes with them.
  void collect_native() {
    program_.native_features = extras_.native_features;
    for (const NativeObject& object : extras_.native) native_.add(object);
    for (const std::string& path : options_.link_files) {
      auto file = llvm::MemoryBuffer::getFile(path);
      if (!file) throw BuildError("cannot read '" + path + "': " + file.getError().message());
      const llvm::StringRef content = (*file)->getBuffer();
      linked_files_.push_back(make_dependency(path, content));
      add_native_file(path, content);
    }
  }

  void add_native_file(const std::string& path, std::string_view content) {
    if (is_archive(content))
      for (NativeObject& object : read_archive(path, content)) native_.add(std::move(object));
    else if (is_native_object(content))
      native_.add({path, std::string(content)});
    else
      throw BuildError("'" + path + "' is no object or archive of C code");
  }

  const Target& target() {
    if (!target_) {
      extras_.times.begin("target");
      target_.emplace(request_.target_cpu);
    }
    return *target_;
  }

  std::unique_ptr<llvm::Module> compile() {
    bool fast_fma = target().model().has_fma;
    has_added_lines_ = (options_.verbose || options_.check) && !options_.debug_info;
    extras_.times.begin("front end");
    if (is_spirv(request_.source)) return read_spirv(context_, request_.source);
    FrontEndResult result =
        compile_source(context_, {extras_.source_name, request_.source, request_.headers, fast_fma},
                       options_, response_.log);
    program_.dependencies = std::move(result.dependencies);
    if (result.module && options_.streams) make_pipes_streams(*result.module);
    return std::move(result.module);
  }

  std::string finish(llvm::Module& module) {
    using Output = Extras::Output;
    program_.abi = abi::kAbiVersion;
    program_.compiler = compiler_version();
    program_.options = request_.options;
    llvm::append_range(program_.dependencies, linked_files_);
    if (extras_.output == Output::kFrontEndIr) return print(module);
    bool is_object = request_.action == Action::kCompile;
    bool is_library = request_.action == Action::kLink && options_.create_library;
    program_.kind = is_library  ? ProgramKind::kLibrary
                    : is_object ? ProgramKind::kObject
                                : ProgramKind::kExecutable;
    program_.global_bytes = count_global_bytes(module);
    extras_.times.begin("bitcode");
    std::string bitcode = make_bitcode(module);
    if (is_object || is_library) {
      program_.kernels = describe_kernels(module);
      return write_binary({to_json(program_), bitcode, native_.archive()});
    }
    return make_executable(module, bitcode);
  }

  std::string make_bitcode(const llvm::Module& module) {
    if (!has_added_lines_ || options_.check) return to_bitcode(module);
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    llvm::StripDebugInfo(*copy);
    return to_bitcode(*copy);
  }

  std::string make_executable(llvm::Module& module, const std::string& bitcode) {
    using Output = Extras::Output;
    const Target& target = this->target();
    program_.target_cpu = target.cpu();
    program_.target_features = target.features();
    add_features(program_.native_features, program_.target_features);
    LowerKernels kernels(module, options_, target, native_,
                         [&](const char* phase) { extras_.times.begin(phase); });
    const Program& cut = kernels.cut();
    const Parts parts = may_deal_out_kernels() ? deal_out_kernels(module, cut) : Parts();
    if (!parts.empty()) return finish_in_parts(module, kernels, parts, bitcode);

    std::vector<KernelRemarks> remarks;
    program_.kernels = kernels.finish(remarks);
    warn_of_kernels_that_cannot_run();
    if (has_added_lines_) llvm::StripDebugInfo(module);
    if (extras_.output == Output::kReport) return report_text(remarks);
    if (extras_.output == Output::kJsonReport) return report_json(remarks);
    if (options_.verbose) response_.log += remarks_for_log(remarks);
    retarget(module, target);
    if (extras_.output != Output::kBinary) return make_text(module, target);
    const std::vector<PartResult> results = with_logs([&] {
      return generate_in_parts(module, [&](llvm::Module& part) { return generate(part); });
    });
    return link(results, bitcode);
  }

  // Checks, remarks and lines for debuggers are about the whole program, and variables of C code exist
  // once.
  bool may_deal_out_kernels() const {
    return effort() == Effort::kFirst && extras_.output == Extras::Output::kBinary &&
           !options_.check && !options_.verbose && !options_.debug_info && native_.empty();
  }

  std::string finish_in_parts(llvm::Module& module, LowerKernels& kernels, const Parts& parts,
                              const std::string& bitcode) {
    share_constants(module);
    const std::vector<PartResult> results = with_logs([&] {
      return run_in_processes(parts.size(), [&](size_t part) {
        std::vector<KernelRemarks> remarks;
        ProgramInfo finished = program_;
        kernels.keep_only(parts[part]);
        if (part > 0) leave_out_shared_constants(module);
        finished.kernels = kernels.finish(remarks);
        retarget(module, target());
        PartResult result = generate(module);
        result.metadata = to_json(finished);
        return result;
      });
    });
    if (diagnosed_error_) return "";
    size_t count = 0;
    for (const auto& numbers : parts) count += numbers.size();
    program_.kernels.resize(count);
    for (auto&& [numbers, result] : llvm::zip_equal(parts, results))
      for (auto&& [number, info] : llvm::zip_equal(numbers, read_metadata(result.metadata).kernels))
        program_.kernels[number] = std::move(info);
    warn_of_kernels_that_cannot_run();
    return link(results, bitcode);
  }

  void warn_of_kernels_that_cannot_run() {
    for (const KernelInfo& kernel : program_.kernels)
      if (!kernel.cannot_run.empty())
        response_.log +=
            "warning: kernel '" + kernel.name + "' cannot run: " + kernel.cannot_run + "\n";
  }

  std::string link(const std::vector<PartResult>& parts, const std::string& bitcode) {
    if (diagnosed_error_) return "";
    std::vector<std::string> objects;
    for (const PartResult& part : parts) objects.push_back(part.object);
    extras_.times.begin("link ELF");
    return link_executable(objects, write_binary({to_json(program_), bitcode, native_.archive()}),
                           native_);
  }

  Effort effort() const {
    if (!options_.optimize) return Effort::kNone;
    if (options_.specialization) return Effort::kMost;
    return options_.first ? Effort::kFirst : Effort::kUsual;
  }

  std::string make_text(llvm::Module& module, const Target& target) {
    extras_.times.begin("optimize");
    const llvm::CodeGenOptLevel level = optimize_for_cpu(module, target, effort());
    if (extras_.output == Extras::Output::kOptimizedIr) return print(module);
    extras_.times.begin("generate code");
    return generate_code(module, target, level, effort(),
                         extras_.output == Extras::Output::kObject
                             ? llvm::CodeGenFileType::ObjectFile
                             : llvm::CodeGenFileType::AssemblyFile);
  }

  PartResult generate(llvm::Module& part) {
    extras_.times.begin("generate code");
    const llvm::CodeGenOptLevel level = optimize_for_cpu(part, target(), effort());
    PartResult result;
    try {
      result.object = generate_code(part, target(), level, effort());
    } catch (const GeneratorError& error) {
      result.given_up = error.what();
    }
    result.failed = diagnosed_error_;
    result.log = std::move(response_.log);
    return result;
  }

  // The results of `run`, whose logs come to this one.
  template <class Run>
  std::vector<PartResult> with_logs(Run run) {
    // The log so far is this process's; what a part adds comes back with it.
    std::string log = std::exchange(response_.log, "");
    std::vector<PartResult> parts = run();
    response_.log = std::move(log);
    for (const PartResult& part : parts) {
      if (!part.given_up.empty()) throw GeneratorError(part.given_up);
      // Parts may have a function in common, and complain of it alike.
      if (response_.log.find(part.log) == std::string::npos) response_.log += part.log;
      diagnosed_error_ |= part.failed;
    }
    return parts;
  }

  const protocol::Request& request_;
  Extras& extras_;
  Options options_;
  Response response_;
  bool diagnosed_error_ = false;
  bool has_added_lines_ = false;  // not asked for otherwise: no code has them
  ProgramInfo program_;
  NativeCode native_;
  std::vector<Dependency> linked_files_;
  std::optional<Target> target_;
  llvm::LLVMContext context_;
};

Response failure(Status status, const std::string& text) {
  Response response;
  response.status = status;
  response.log = text;
  return response;
}

Response compile(const protocol::Request& request, Extras& extras) {
  try {
    return Compilation(request, extras).run();
  } catch (const GeneratorError& error) {
    protocol::Request narrow = request;
    narrow.options += std::string(" ") + kOneByOne;
    Response response = Compilation(narrow, extras).run();
    response.log = one_by_one_warning(error.what()) + response.log;
    return response;
  }
}

}  // namespace

Response process(const protocol::Request& request, Extras& extras) {
  try {
    return compile(request, extras);
  } catch (const OptionError& error) {
    return failure(Status::kInvalidOptions, std::string(error.what()) + "\n");
  } catch (const BinaryError& error) {
    return failure(Status::kInvalidInput, "error: " + std::string(error.what()) + "\n");
  } catch (const std::exception& error) {
    return failure(Status::kFailure, "error: " + std::string(error.what()) + "\n");
  }
}

}  // namespace conclave::compiler
