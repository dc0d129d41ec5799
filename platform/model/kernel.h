// SPDX-License-Identifier: Apache-2.0
// cl_kernel: a kernel's code for each device, and the arguments that have been set.
#ifndef CONCLAVE_PLATFORM_MODEL_KERNEL_H_
#define CONCLAVE_PLATFORM_MODEL_KERNEL_H_

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "conclave/kernel_abi.h"
#include "platform/base/checked_size.h"
#include "platform/base/compute_unit_set.h"
#include "platform/base/object.h"
#include "platform/loader/program_binary.h"
#include "platform/model/dealing.h"
#include "platform/model/launch_kinds.h"
#include "platform/model/memory.h"
#include "platform/model/stream_ports.h"

namespace conclave {

class Device;
class XclbinBinding;
class Kernel;
class Program;

template <>
struct HandleOf<Kernel> {
  using Type = cl_kernel;
};

// How long a work-item of a kernel takes, learned from its runs. Threads update it without a lock,
// since an occasional lost sample does no harm.
class KernelTiming {
 public:
  // Nanoseconds per work-item; 0: unknown.
  float ns_per_item() const { return ns_per_item_.load(std::memory_order_relaxed); }
  // What an earlier process has learned; before all samples.
  void expect(float ns_per_item) { ns_per_item_.store(ns_per_item, std::memory_order_relaxed); }
  // A sample may be a thousand times too long: CPUs that run the code for the first time wait for
  // memory, and any CPU may be taken away for a while. So one sample multiplies what is known by
  // five at most, and what turns out to be far too long is soon forgotten.
  void add(float sample) {
    const float old = ns_per_item();
    const float weight = sample < old / 4 ? 0.5f : 0.25f;
    ns_per_item_.store(old == 0 ? sample : old + weight * (std::min(sample, 16 * old) - old),
                       std::memory_order_relaxed);
  }

 private:
  std::atomic<float> ns_per_item_{0};
};

// A kernel compiled for one device. All kernel objects of its name from one build of a program
// share it, so all of them know what its launches teach.
struct KernelCode {
  KernelCode(Ref<Device> device, std::shared_ptr<const ProgramBinary> binary,
             std::shared_ptr<const LoadedCode> code, const KernelInfo& info);

  Ref<Device> device;
  std::shared_ptr<const ProgramBinary> binary;  // owns info
  std::shared_ptr<const LoadedCode> code;       // owns function
  const KernelInfo* info;
  abi::GroupFunction function;
  size_t max_work_group_size;
  bool has_streams;
  bool has_sums;                              // arguments to whose memory it only adds
  std::unique_ptr<LaunchKinds> launch_kinds;  // null: nothing can be specialised
  mutable KernelTiming timing;
  mutable Dealing dealing;
};

// The most work-items that a work-group of the kernel can have: the device's number, or fewer where
// each needs much private memory. Defined in exec/work_group_size.cc.
size_t max_work_group_size(const KernelInfo& kernel);

class Kernel : public Object<Kernel> {
 public:
  static constexpr uint32_t kMagic = 0x6b65726e;  // "kern"

  // If the program belongs to an xclbin, the kernel is bound to all its compute units, or to
  // those of "name:{unit,unit}", and opens contexts on them. Throws
  // Error{CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION}, and
  // as XclbinBinding does.
  Kernel(Program& program, const std::string& full_name);
  // A copy with the arguments that are set in `other` (clCloneKernel).
  Kernel(const Kernel& other);
  ~Kernel();

  Program& program() const { return *program_; }
  // What does not depend on the device: name and arguments.
  const KernelInfo& info() const { return *codes_.front()->info; }
  const std::vector<std::shared_ptr<const KernelCode>>& codes() const { return codes_; }
  // The code for `device`; null if the program was not built for it.
  const std::shared_ptr<const KernelCode>* code_for(const Device& device) const;

  // Null if the program belongs to no xclbin.
  const std::shared_ptr<const XclbinBinding>& binding() const { return binding_; }
  // The only compute units that launches may use, kept with everything that they need (the contexts
  // on them); null: all.
  const std::shared_ptr<const ComputeUnitSet>& bound_units() const { return bound_units_; }
  void bind_to(std::shared_ptr<const ComputeUnitSet> units) { bound_units_ = std::move(units); }
  // The compute units of `device` that a launch may use.
  ComputeUnitSet units_on(const Device& device) const;

  // The streams at the kernel's arguments; empty if it has none. Throws Error{CL_INVALID_KERNEL} if
  // it is not bound to the one compute unit that tells them.
  const std::vector<StreamPort>& ports() const;
  // Connects it as the kernel of that name (of a compute unit or a graph) in the xclbin
  // (stream_ports.h).
  void connect(const Xclbin& xclbin, const std::string& owner);

  // clSetKernelArg. Throws Error with that function's codes.
  void set_argument(cl_uint index, size_t size, const void* value);
  // Sets a pointer argument to the address `offset` bytes into a buffer; a null pointer for null.
  void set_pointer(cl_uint index, Memory* memory, size_t offset);
  // Sets a pointer argument to an address that host and kernels share (clSetKernelArgSVMPointer and
  // its like). Throws Error{CL_INVALID_ARG_INDEX}, and Error{no_pointer} if the argument takes no
  // such address.
  void set_address(cl_uint index, const void* address, cl_int no_pointer = CL_INVALID_ARG_VALUE);

  // One argument that has been set. The block has its bytes; this says what they stand for.
  struct Argument {
    bool set = false;
    // For pointer and image arguments; null for a null pointer. Setting an argument retains
    // nothing, so a launch must check whether the object still exists.
    cl_mem memory = nullptr;
    const void* address = nullptr;  // of set_address()
    size_t local_bytes = 0;         // local-memory arguments
  };
  const std::vector<Argument>& arguments() const { return arguments_; }
  // The first argument that is not set; their number if all are.
  size_t first_unset() const {
    size_t i = 0;
    while (i < arguments_.size() && arguments_[i].set) ++i;
    return i;
  }
  // The longest time on a compute unit, in ms; 0: no limit.
  cl_uint timeout_ms() const { return timeout_ms_.load(std::memory_order_relaxed); }
  void set_timeout_ms(cl_uint ms) { timeout_ms_.store(ms, std::memory_order_relaxed); }

  // The argument block as the compiled code expects it. A launch fills in local arguments.
  const std::vector<std::byte>& block() const { return block_; }
  // The local memory that a launch needs, including that of arguments.
  CheckedSize local_bytes(const KernelCode& code) const;

 private:
  void bind(const std::string& name);
  void require_argument(cl_uint index) const;

  Ref<Program> program_;
  std::vector<std::shared_ptr<const KernelCode>> codes_;
  std::shared_ptr<const XclbinBinding> binding_;
  std::shared_ptr<const ComputeUnitSet> bound_units_;
  std::shared_ptr<const std::vector<StreamPort>> ports_;  // null: not connected
  std::vector<Argument> arguments_;
  std::vector<std::byte> block_;
  std::atomic<cl_uint> timeout_ms_{0};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_KERNEL_H_
