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
#include "platform/exec/unit_of_thread.h"
#include "platform/loader/compiler_client.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/image_binding.h"
#include "platform/model/kernel.h"
#include "platform/model/stream_ports.h"

namespace conclave {

struct Program::Job {
  protocol::Request request;
  Devices devices;
  // Programs whose images are the request's inputs, taken for each device.
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

Program::Program(Context& context, Devices devices,
                 std::vector<std::shared_ptr<const ProgramImage>> images)
    : context_(&context), devices_(std::move(devices)), builds_(devices_.size()) {
  for (size_t i = 0; i < images.size(); ++i) builds_[i].image = std::move(images[i]);
}

Program::Program(Context& context, Devices devices, std::shared_ptr<const DeviceImage> image)
    : Program(context, devices, {devices.size(), image->program()}) {
  device_image_ = std::move(image);
  load_device_image(*device_image_);
  try {
    build(devices_, "", nullptr);
  } catch (const Error& error) {
    throw Error(CL_INVALID_BINARY, "the device image's program does not run here: " + error.text());
  }
}

Program::~Program() = default;

std::shared_ptr<const std::string> Program::binary(const Device& device) const {
  const Build build = build_for(device);
  if (!build.image) return nullptr;
  if (device_image_) return {device_image_, &device_image_->bytes()};
  return {build.image, &build.image->binary()};
}

std::vector<std::string> Program::kernel_names(const ProgramImage& image) const {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : image.kernels())
    if (!device_image_ || device_image_->has_units(kernel.name)) names.push_back(kernel.name);
  return names;
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

// The build for `device`; where nothing was built for it, that of the device it is a part of.
const Build& Program::nearest(const Device& device) const {
  const Build* own = nullptr;
  for (const Device* d = &device; d; d = d->parent()) {
    for (size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].get() != d) continue;
      if (!own) own = &builds_[i];
      if (builds_[i].status != CL_BUILD_NONE || builds_[i].image) return builds_[i];
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
  if (!build.image) return CL_PROGRAM_BINARY_TYPE_NONE;
  switch (build.image->kind()) {
    case ProgramImage::Kind::kObject:
      return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case ProgramImage::Kind::kLibrary:
      return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    case ProgramImage::Kind::kExecutable:
      return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  }
  return CL_PROGRAM_BINARY_TYPE_NONE;
}

void Program::build(const Devices& devices, const std::string& options, Notify notify) {
  Job job{{}, devices, {}, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS};
  job.request.options = options;
  if (from_source_) {
    require(compiler_available(), CL_COMPILER_NOT_AVAILABLE, "no compiler is installed");
    job.request.action = protocol::Action::kBuild;
    job.request.source = source_;
  } else {
    for (const Ref<Device>& device : devices)
      require(build_for(*device).image != nullptr, CL_INVALID_BINARY,
              "the program has no valid binary for the device");
    job.request.action = protocol::Action::kRebuild;
    job.inputs.emplace_back(this);
  }
  start(std::move(job), std::move(notify));
}

void Program::compile(const Devices& devices, const std::string& options,
                      std::vector<Header> headers, Notify notify) {
  require(from_source_, CL_INVALID_OPERATION, "the program has no source to compile");
  require(compiler_available(), CL_COMPILER_NOT_AVAILABLE, "no compiler is installed");
  Job job{{}, devices, {}, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS};
  job.request.action = protocol::Action::kCompile;
  job.request.options = options;
  job.request.source = source_;
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

// Where the host is now: a build that goes on beside it must not depend on where it will be.
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
      if (from_source_) build.image = nullptr;  // else it is what is being built
    }
    building_ = true;
  }
  if (!notify) return run(job);
  auto work = [self = Ref<Program>(this), job = std::move(job), notify = std::move(notify)] {
    try {
      self->run(job);
    } catch (const Error& error) {
      log::debug(error.text());  // status and log are in the program for whoever asks
    }
    notify();
  };
  std::thread(std::move(work)).detach();
}

// Builds for one device after the other: the second is an answer from the cache. Throws the first
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
  // First: an option at the end may want a value.
  request.options.insert(0, "-cl-conclave-check ");
  return true;
}

// CONCLAVE_TUNE has other rules of thumb for the compiler to try (docs/vectorizer.md). As an option
// they are a part of what the disk cache knows programs by.
void add_tuning_option(protocol::Request& request) {
  const char* tuning = secure_getenv("CONCLAVE_TUNE");
  if (tuning && *tuning)
    request.options.insert(0, "-cl-conclave-tune=" + std::string(tuning) + " ");
}

bool has_streams(const ProgramImage& image) {
  return std::any_of(image.kernels().begin(), image.kernels().end(),
                     [](const KernelInfo& kernel) { return conclave::has_streams(kernel); });
}

bool has_checks(const ProgramImage& image) {
  return std::any_of(image.kernels().begin(), image.kernels().end(),
                     [](const KernelInfo& kernel) { return kernel.checked; });
}

}  // namespace

void Program::run_for(const Job& job, const Ref<Device>& device) {
  protocol::Request request = job.request;
  add_tuning_option(request);
  std::shared_ptr<const ProgramImage> image;
  std::string log;
  for (const Ref<Program>& input : job.inputs) {
    image = input->build_for(*device).image;
    if (!image) throw Error(job.failure, "an input program is not compiled for the device");
    request.inputs.push_back(image->bytes());
  }
  // A binary that is executable here already needs no compiler.
  std::string why;
  // What kernels with streams access belongs to the runtime, and they change threads in the middle,
  // which checks do not know.
  const bool may_have_checks = !image || !has_streams(*image);
  const bool lacks_checks =
      may_have_checks && add_check_option(request) && image && !has_checks(*image);
  if (request.action != protocol::Action::kRebuild || !image->runs_here(&why) ||
      (lacks_checks && compiler_available())) {
    if (request.action == protocol::Action::kRebuild && !compiler_available())
      throw Error(CL_INVALID_BINARY, "the program binary does not run here: " + why +
                                         "; and there is no compiler to build it again");
    protocol::Response response = conclave::compile(request);
    log = std::move(response.log);
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
    image = ProgramImage::parse(std::move(response.image));
  }
  std::shared_ptr<const LoadedCode> code;
  std::vector<std::shared_ptr<const KernelCode>> kernels;
  if (has_checks(*image)) check::ShadowMemory::turn_on();
  if (image->kind() == ProgramImage::Kind::kExecutable) {
    code = LoadedCode::load(*image, UnitOfThread::get);
    for (const KernelInfo& info : image->kernels())
      kernels.push_back(std::make_shared<KernelCode>(device, image, code, info));
  }

  std::lock_guard lock(mutex_);
  Build& build = entry(*device);
  build.log = std::move(log);
  build.image = std::move(image);
  build.code = std::move(code);
  build.kernels = std::move(kernels);
  build.status = CL_BUILD_SUCCESS;
}

}  // namespace conclave
