// SPDX-License-Identifier: Apache-2.0
// cl_kernel: a kernel's code for each device, and its arguments as set so far.
#ifndef CONCLAVE_PLATFORM_MODEL_KERNEL_H_
#define CONCLAVE_PLATFORM_MODEL_KERNEL_H_

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conclave/kernel_abi.h"
#include "platform/base/checked_size.h"
#include "platform/base/compute_unit_set.h"
#include "platform/base/object.h"
#include "platform/loader/program_image.h"
#include "platform/model/launch_kinds.h"
#include "platform/model/memory.h"
#include "platform/model/stream_ports.h"

namespace conclave {

class Device;
class ImageBinding;
class Kernel;
class Program;

template <>
struct HandleOf<Kernel> {
  using Type = cl_kernel;
};

// How long a work-item of a kernel takes, learned from its runs. Threads update it without a lock:
// losing a sample now and then does no harm.
class KernelTiming {
 public:
  // Nanoseconds a work-item; 0 while unknown.
  float ns_per_item() const { return ns_per_item_.load(std::memory_order_relaxed); }
  void add(float sample) {
    float old = ns_per_item();
    ns_per_item_.store(old == 0 ? sample : old + (sample - old) / 4, std::memory_order_relaxed);
  }

 private:
  std::atomic<float> ns_per_item_{0};
};

// A kernel compiled for one device. Shared by all kernel objects of its name that come from one
// build of a program: what its launches teach is known to all of them.
struct KernelCode {
  KernelCode(Ref<Device> device, std::shared_ptr<const ProgramImage> image,
             std::shared_ptr<const LoadedCode> code, const KernelInfo& info);

  Ref<Device> device;
  std::shared_ptr<const ProgramImage> image;  // owns info
  std::shared_ptr<const LoadedCode> code;     // owns function
  const KernelInfo* info;
  abi::GroupFunction function;
  std::unique_ptr<LaunchKinds> launch_kinds;  // null: there is nothing to specialise
  mutable KernelTiming timing;
};

class Kernel : public Object<Kernel> {
 public:
  static constexpr uint32_t kMagic = 0x6b65726e;  // "kern"

  // Of a program of a device image, the kernel is bound to all its compute units, or to those of
  // "name:{unit,unit}", and opens contexts on them. Throws Error{CL_INVALID_PROGRAM_EXECUTABLE,
  // CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION}, and as ImageBinding does.
  Kernel(Program& program, const std::string& full_name);
  // A copy with the arguments that are set in `other` (clCloneKernel).
  Kernel(const Kernel& other);
  ~Kernel();

  Program& program() const { return *program_; }
  // What does not depend on the device: name, arguments.
  const KernelInfo& info() const { return *codes_.front()->info; }
  const std::vector<std::shared_ptr<const KernelCode>>& codes() const { return codes_; }
  // The code for `device`; null where the program was not built for it.
  const std::shared_ptr<const KernelCode>* code_for(const Device& device) const;

  // Null where the program is of no device image.
  const std::shared_ptr<const ImageBinding>& binding() const { return binding_; }
  // The only units that launches may use, kept with all that they need (the contexts on them); null
  // where they may use all.
  const std::shared_ptr<const ComputeUnitSet>& bound_units() const { return bound_units_; }
  void bind_to(std::shared_ptr<const ComputeUnitSet> units) { bound_units_ = std::move(units); }
  // The units of `device` that a launch may use.
  ComputeUnitSet units_on(const Device& device) const;

  // The streams at the kernel's arguments; empty where it has none. Throws Error{CL_INVALID_KERNEL}
  // where it is not bound to the one compute unit that tells them.
  const std::vector<StreamPort>& ports() const;
  // As the kernel of that name, of a compute unit or a graph, in the image (stream_ports.h).
  void connect(const DeviceImage& image, const std::string& owner);

  // clSetKernelArg. Throws Error with its codes.
  void set_argument(cl_uint index, size_t size, const void* value);
  // A pointer argument by the address `offset` bytes into a buffer; null for a null pointer.
  void set_pointer(cl_uint index, Memory* memory, size_t offset);

  // One argument as set: the bytes are in the block, these are what they stand for.
  struct Argument {
    bool set = false;
    // Pointer and image arguments; null for a null pointer. Setting an argument retains nothing, so
    // a launch has to look whether the object is still there.
    cl_mem memory = nullptr;
    size_t local_bytes = 0;  // local-memory arguments
  };
  const std::vector<Argument>& arguments() const { return arguments_; }
  // How long it may be on a compute unit, in ms; 0: as long as it wants.
  cl_uint timeout_ms() const { return timeout_ms_.load(std::memory_order_relaxed); }
  void set_timeout_ms(cl_uint ms) { timeout_ms_.store(ms, std::memory_order_relaxed); }

  // The argument block, as the compiled code expects it (local arguments are filled in at launch).
  const std::vector<std::byte>& block() const { return block_; }
  // Local memory that a launch needs, the arguments' included.
  CheckedSize local_bytes(const KernelCode& code) const;

 private:
  void bind(const std::string& name);

  Ref<Program> program_;
  std::vector<std::shared_ptr<const KernelCode>> codes_;
  std::shared_ptr<const ImageBinding> binding_;
  std::shared_ptr<const ComputeUnitSet> bound_units_;
  std::shared_ptr<const std::vector<StreamPort>> ports_;  // null: not connected
  std::vector<Argument> arguments_;
  std::vector<std::byte> block_;
  std::atomic<cl_uint> timeout_ms_{0};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_KERNEL_H_
