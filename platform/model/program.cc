// SPDX-License-Identifier: Apache-2.0
#include "platform/model/program.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/check/shadow_memory.h"
#include "platform/exec/engine.h"
#include "platform/exec/form_maker.h"
#include "platform/exec/later_processes.h"
#include "platform/exec/unit_of_thread.h"
#include "platform/loader/compiler_client.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/kernel.h"
#include "platform/model/stream_ports.h"
#include "platform/model/xclbin_binding.h"

namespace conclave {

struct Program::Job {
  protocol::Request request;
  Devices devices;
  // Programs whose binaries are the request's inputs, one per device.
  std::vector<Ref<Program>> inputs;
  cl_int failure;          // the code of an unsuccessful build of this kind
  cl_int invalid_options;  // the code for options that the compiler does not know
};

Program::Program(Context& context, std::string source)
    : context_(&context),
      devices_(context.devices()),
      source_(std::move(source)),
      from_source_(true),
      builds_(devices_.size()) {}

Program::Program(Context& context, SpirvModule module)
    : context_(&context),
      devices_(context.devices()),
      spirv_(std::move(module)),
      builds_(devices_.size()) {}

Program::Program(Context& context, Devices devices,
                 std::vector<std::shared_ptr<const ProgramBinary>> binaries)
    : context_(&context), devices_(std::move(devices)), builds_(devices_.size()) {
  for (size_t i = 0; i < binaries.size(); ++i) builds_[i].binary = std::move(binaries[i]);
}

Program::Program(Context& context, const Devices& devices, std::shared_ptr<const Xclbin> xclbin)
    : Program(context, devices, {devices.size(), xclbin->program()}) {
  xclbin_ = std::move(xclbin);
  load_xclbin(*xclbin_);
  try {
    build(devices_, "", nullptr);
  } catch (const Error& error) {
    throw Error(CL_INVALID_BINARY, "the xclbin's program does not run here: " + error.text());
  }
}

Program::~Program() = default;

std::shared_ptr<const std::string> Program::binary(const Device& device) const {
  const Build build = build_for(device);
  if (!build.binary) return nullptr;
  if (xclbin_) return {xclbin_, &xclbin_->bytes()};
  return {build.binary, &build.binary->whole()};
}

std::vector<std::string> Program::kernel_names(const ProgramBinary& binary) const {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : binary.kernels())
    if (!xclbin_ || xclbin_->has_units(kernel.name)) names.push_back(kernel.name);
  return names;
}

void Program::specialize(uint32_t id, size_t size, const void* value) {
  std::lock_guard lock(mutex_);
  require(spirv_.has_value(), CL_INVALID_PROGRAM, "the program is not made from SPIR-V");
  spirv_->specialize(id, size, value);
}

std::string Program::compiler_input() const {
  if (from_source_) return source_;
  std::lock_guard lock(mutex_);
  require(spirv_.has_value(), CL_INVALID_OPERATION, "the program has no source to compile");
  return spirv_->specialized();
}

void Program::note(const std::string& text) {
  std::lock_guard lock(mutex_);
  for (Build& build : builds_) build.log += text + "\n";
}

bool Program::has(const Device& device) const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [&](const Ref<Device>& d) { return device.is_within(*d); });
}

Build& Program::entry(const Device& device) {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i].get() == &device) return builds_[i];
  throw Error(CL_INVALID_DEVICE, "the device is not associated with the program");
}

// The build for `device`; if nothing was built for it, that of the device of which it is a part.
const Build& Program::nearest(const Device& device) const {
  const Build* own = nullptr;
  for (const Device* d = &device; d; d = d->parent()) {
    for (size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].get() != d) continue;
      if (!own) own = &builds_[i];
      if (builds_[i].status != CL_BUILD_NONE || builds_[i].binary) return builds_[i];
    }
  }
  require(own != nullptr, CL_INVALID_DEVICE, "the device is not associated with the program");
  return *own;
}

Build Program::build_for(const Device& device) const {
  std::lock_guard lock(mutex_);
  return nearest(device);
}

cl_program_binary_type Program::binary_type(const Device& device) const {
  Build build = build_for(device);
  if (!build.binary) return CL_PROGRAM_BINARY_TYPE_NONE;
  switch (build.binary->kind()) {
    case ProgramKind::kObject:
      return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case ProgramKind::kLibrary:
      return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    case ProgramKind::kExecutable:
      return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  }
  return CL_PROGRAM_BINARY_TYPE_NONE;
}

void Program::build(const Devices& devices, const std::string& options, Notify notify) {
  Job job{{}, devices, {}, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS};
  job.request.options = options;
  if (has_compiler_input()) {
    require(compiler_available(), CL_COMPILER_NOT_AVAILABLE, "no compiler is installed");
    job.request.action = protocol::Action::kBuild;
    job.request.source = compiler_input();
  } else {
    for (const Ref<Device>& device : devices)
      require(build_for(*device).binary != nullptr, CL_INVALID_BINARY,
              "the program has no valid binary for the device");
    job.request.action = protocol::Action::kRebuild;
    job.inputs.emplace_back(this);
  }
  start(std::move(job), std::move(notify));
}

void Program::compile(const Devices& devices, const std::string& options,
                      std::vector<Header> headers, Notify notify) {
  std::string input = compiler_input();
  require(compiler_available(), CL_COMPILER_NOT_AVAILABLE, "no compiler is installed");
  Job job{{}, devices, {}, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS};
  job.request.action = protocol::Action::kCompile;
  job.request.options = options;
  job.request.source = std::move(input);
  for (Header& header : headers)
    job.request.headers.emplace_back(std::move(header.first), header.second->source());
  start(std::move(job), std::move(notify));
}

void Program::link(const Devices& devices, const std::string& options,
                   std::vector<Ref<Program>> inputs, Notify notify) {
  Job job{{}, devices, std::move(inputs), CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS};
  job.request.action = protocol::Action::kLink;
  job.request.options = options;
  start(std::move(job), std::move(notify));
}

namespace {

// The host's present directory: a build that runs beside the host must not depend on where the host
// goes.
std::string working_directory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : "";
}

}  // namespace

void Program::start(Job job, Notify notify) {
  job.request.directory = working_directory();
  {
    std::lock_guard lock(mutex_);
    require(kernels() == 0, CL_INVALID_OPERATION, "kernels are attached to the program");
    require(!building_, CL_INVALID_OPERATION, "a build of the program is in progress");
    for (const Ref<Device>& device : job.devices) {
      Build& build = entry(*device);
      build.status = CL_BUILD_IN_PROGRESS;
      build.options = job.request.options;
      build.log.clear();
      build.code = nullptr;
      build.kernels.clear();
      if (has_compiler_input()) build.binary = nullptr;  // otherwise it is what is being built
    }
    building_ = true;
  }
  for (const Ref<Device>& device : job.devices) Engine::prepare(device->compute_units());
  if (!notify) return run(job);
  auto work = [self = Ref<Program>(this), job = std::move(job), notify = std::move(notify)] {
    try {
      self->run(job);
    } catch (const Error& error) {
      log::debug(error.text());  // status and log are in the program for everybody who asks
    }
    notify();
  };
  std::thread(std::move(work)).detach();
}

// Builds for one device after the other; the second build comes from the cache. Throws the first
// failure after all are done.
void Program::run(const Job& job) {
  std::unique_ptr<Error> failure;
  for (const Ref<Device>& device : job.devices) {
    try {
      run_for(job, device);
    } catch (const Error& error) {
      std::lock_guard lock(mutex_);
      Build& build = entry(*device);
      build.status = CL_BUILD_ERROR;
      if (build.log.empty()) build.log = error.text();
      if (!failure) failure = std::make_unique<Error>(error);
    }
  }
  {
    std::lock_guard lock(mutex_);
    building_ = false;
  }
  if (failure) throw *failure;
}

namespace {

// Whether the configuration wants checks in every program.
bool add_check_option(protocol::Request& request) {
  if (Config::get().check == Config::Check::kOff) return false;
  // First, since an option at the end may expect a value.
  request.options.insert(0, "-cl-conclave-check ");
  return true;
}

// What the configuration adds for all programs; a program's own options come later, and win.
void add_configured_options(protocol::Request& request) {
  const bool has_source =
      request.action == protocol::Action::kBuild || request.action == protocol::Action::kCompile;
  const std::string& options = Config::get().build_options;
  if (has_source && !options.empty()) request.options.insert(0, options + " ");
}

// Goes to the log of a build with wrong options, since the program may not know what was added.
std::string note_of_configured_options() {
  const std::string& options = Config::get().build_options;
  if (options.empty()) return "";
  return "The configuration adds the options '" + options +
         "' (build-options, CONCLAVE_BUILD_OPTIONS).\n";
}

// CONCLAVE_TUNE has other rules of thumb for the compiler to try (docs/vectorizer.md). As an option
// they are a part of what the disk cache knows programs by.
void add_tuning_option(protocol::Request& request) {
  const char* tuning = secure_getenv("CONCLAVE_TUNE");
  if (tuning && *tuning)
    request.options.insert(0, "-cl-conclave-tune=" + std::string(tuning) + " ");
}

// A program waits for code that is good enough to begin with. Where the configuration has better code
// made before the first launch anyway, there is nothing to gain.
void add_first_option(protocol::Request& request) {
  const bool makes_code = request.action == protocol::Action::kBuild ||
                          request.action == protocol::Action::kRebuild ||
                          (request.action == protocol::Action::kLink &&
                           request.options.find("-create-library") == std::string::npos);
  if (makes_code && Config::get().specialize != Config::Specialize::kNow)
    request.options.insert(0, "-cl-conclave-first ");
}

constexpr char kZeroPrivateMemory[] = "-cl-conclave-zero-private-memory ";

// Whether private memory has to begin with zeros, as the context wants it.
bool add_zeros_option(const Context& context, protocol::Request& request) {
  if (!context.zeroes_private_memory()) return false;
  request.options.insert(0, kZeroPrivateMemory);
  return true;
}

bool has_streams(const ProgramBinary& binary) {
  return std::any_of(binary.kernels().begin(), binary.kernels().end(),
                     [](const KernelInfo& kernel) { return conclave::has_streams(kernel); });
}

// Whether the log of the build is to have remarks.
bool wants_remarks(const std::string& options) {
  return (" " + options + " ").find(" -v ") != std::string::npos;
}

bool has_checks(const ProgramBinary& binary) {
  return std::any_of(binary.kernels().begin(), binary.kernels().end(),
                     [](const KernelInfo& kernel) { return kernel.checked; });
}

}  // namespace

void Program::run_for(const Job& job, const Ref<Device>& device) {
  protocol::Request request = job.request;
  add_configured_options(request);
  add_tuning_option(request);
  add_first_option(request);
  std::shared_ptr<const ProgramBinary> binary;
  std::string log;
  for (const Ref<Program>& input : job.inputs) {
    binary = input->build_for(*device).binary;
    if (!binary) throw Error(job.failure, "an input program is not compiled for the device");
    request.inputs.push_back(binary->bytes());
  }
  // A binary that can run here needs no compiler.
  std::string why;
  // Kernels with streams access memory of the runtime, and change threads in the middle. Checks
  // know neither.
  const bool may_have_checks = !binary || !has_streams(*binary);
  const bool lacks_checks =
      may_have_checks && add_check_option(request) && binary && !has_checks(*binary);
  const bool lacks_zeros = add_zeros_option(context(), request) && binary &&
                           binary->options().find(kZeroPrivateMemory) == std::string::npos;
  if (request.action != protocol::Action::kRebuild || !binary->runs_here(&why) ||
      ((lacks_checks || lacks_zeros) && compiler_available())) {
    if (request.action == protocol::Action::kRebuild && !compiler_available())
      throw Error(CL_INVALID_BINARY, "the program binary does not run here: " + why +
                                         "; and there is no compiler to build it again");
    protocol::Response response = conclave::compile(request);
    log = std::move(response.log);
    if (response.status == protocol::Status::kInvalidOptions) log += note_of_configured_options();
    if (response.status != protocol::Status::kSuccess) {
      {
        std::lock_guard lock(mutex_);
        entry(*device).log = log;
      }
      cl_int code = response.status == protocol::Status::kInvalidOptions ? job.invalid_options
                    : response.status == protocol::Status::kInvalidInput ? CL_INVALID_BINARY
                                                                         : job.failure;
      throw Error(code, "building the program failed:\n" + log);
    }
    binary = ProgramBinary::parse(std::move(response.binary));
  }
  std::shared_ptr<const LoadedCode> code;
  std::vector<std::shared_ptr<const KernelCode>> kernels;
  if (has_checks(*binary)) check::ShadowMemory::turn_on();
  if (binary->kind() == ProgramKind::kExecutable) {
    code = LoadedCode::load(*binary, UnitOfThread::get);
    for (const KernelInfo& info : binary->kernels())
      kernels.push_back(std::make_shared<KernelCode>(device, binary, code, info));
    later_processes::expect_code(kernels);
  }

  if (wants_remarks(request.options))
    for (const auto& kernel : kernels) log += forms::remarks(*kernel);

  std::lock_guard lock(mutex_);
  Build& build = entry(*device);
  build.log = std::move(log);
  build.binary = std::move(binary);
  build.code = std::move(code);
  build.kernels = std::move(kernels);
  build.status = CL_BUILD_SUCCESS;
}

}  // namespace conclave
