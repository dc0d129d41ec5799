// SPDX-License-Identifier: Apache-2.0
// cl_program: source, objects or binaries, and what they were built into for each device.
#ifndef CONCLAVE_PLATFORM_MODEL_PROGRAM_H_
#define CONCLAVE_PLATFORM_MODEL_PROGRAM_H_

#include <CL/cl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/object.h"
#include "platform/loader/program_binary.h"
#include "platform/loader/spirv_module.h"

namespace conclave {

class Context;
class Device;
class Xclbin;
class Program;
struct KernelCode;

template <>
struct HandleOf<Program> {
  using Type = cl_program;
};

// What a program is for one device.
struct Build {
  cl_build_status status = CL_BUILD_NONE;
  std::string options;
  std::string log;
  std::shared_ptr<const ProgramBinary> binary;             // null: nothing compiled yet
  std::shared_ptr<const LoadedCode> code;                  // set for executables
  std::vector<std::shared_ptr<const KernelCode>> kernels;  // likewise
};

class Program : public Object<Program> {
 public:
  static constexpr uint32_t kMagic = 0x70726f67;  // "prog"
  using Devices = std::vector<Ref<Device>>;
  using Notify = std::function<void()>;
  using Header = std::pair<std::string, Ref<Program>>;  // include name, program with its source

  // From source; for all devices of the context.
  Program(Context& context, std::string source);
  // From SPIR-V; for all devices of the context.
  Program(Context& context, SpirvModule module);
  // From binaries, one per device; a null one stands for an invalid binary.
  Program(Context& context, Devices devices,
          std::vector<std::shared_ptr<const ProgramBinary>> binaries);
  // From xclbins, the same one for each device; it is executable at once. Throws Error if the
  // xclbin cannot be loaded, as load_xclbin() does, or cannot be built for this CPU.
  Program(Context& context, const Devices& devices, std::shared_ptr<const Xclbin> xclbin);
  ~Program();

  Context& context() const { return *context_; }
  const Devices& devices() const { return devices_; }
  const std::string& source() const { return source_; }
  bool from_source() const { return from_source_; }
  // The module that it was made from, without its specializations; null if it is from something
  // else.
  const std::string* spirv() const { return spirv_ ? &spirv_->bytes() : nullptr; }
  // For builds to come. Throws Error{CL_INVALID_PROGRAM} if it is not from SPIR-V, or what
  // SpirvModule::specialize() throws.
  void specialize(uint32_t id, size_t size, const void* value);
  bool has(const Device& device) const;
  // Null if the program belongs to no xclbin.
  const std::shared_ptr<const Xclbin>& xclbin() const { return xclbin_; }
  // What CL_PROGRAM_BINARIES returns for a device; null if there is none.
  std::shared_ptr<const std::string> binary(const Device& device) const;
  // The kernels that have compute units.
  std::vector<std::string> kernel_names(const ProgramBinary& binary) const;
  // Adds a line to the build log.
  void note(const std::string& text);

  // A copy of what is known for `device`, or for the device of which it is a part. Throws
  // Error{CL_INVALID_DEVICE}.
  Build build_for(const Device& device) const;
  cl_program_binary_type binary_type(const Device& device) const;

  // The three ways to build. With `notify` they return at once and call it at the end. Without it
  // they throw Error{CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_LINK_PROGRAM_FAILURE
  // or CL_INVALID_*_OPTIONS}. They throw Error{CL_INVALID_OPERATION} while a build is in progress
  // or kernels are attached.
  void build(const Devices& devices, const std::string& options, Notify notify);
  void compile(const Devices& devices, const std::string& options, std::vector<Header> headers,
               Notify notify);
  // Makes this (empty) program from `inputs`.
  void link(const Devices& devices, const std::string& options, std::vector<Ref<Program>> inputs,
            Notify notify);

  // Kernels keep the program from being rebuilt.
  void attach_kernel() { kernels_.fetch_add(1); }
  void detach_kernel() { kernels_.fetch_sub(1); }
  uint32_t kernels() const { return kernels_.load(); }

 private:
  struct Job;  // one build in progress

  void start(Job job, Notify notify);
  void run(const Job& job);
  void run_for(const Job& job, const Ref<Device>& device);
  // OpenCL C, or SPIR-V, for the compiler. Throws Error{CL_INVALID_OPERATION} if there is neither.
  std::string compiler_input() const;
  bool has_compiler_input() const { return from_source_ || spirv_; }
  Build& entry(const Device& device);
  const Build& nearest(const Device& device) const;

  Ref<Context> context_;
  Devices devices_;
  std::string source_;
  bool from_source_ = false;
  std::optional<SpirvModule> spirv_;  // guarded by mutex_
  std::shared_ptr<const Xclbin> xclbin_;
  std::atomic<uint32_t> kernels_{0};
  mutable std::mutex mutex_;
  bool building_ = false;
  std::vector<Build> builds_;  // as devices_
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_PROGRAM_H_
