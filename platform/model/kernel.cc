// SPDX-License-Identifier: Apache-2.0
#include "platform/model/kernel.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "platform/base/align.h"
#include "platform/base/error.h"
#include "platform/exec/specializer.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/program.h"
#include "platform/model/sampler.h"
#include "platform/model/xclbin_binding.h"

namespace conclave {
namespace {

bool same_signature(const KernelInfo& a, const KernelInfo& b) {
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const ArgumentInfo& x, const ArgumentInfo& y) {
                      return x.kind == y.kind && x.type_name == y.type_name && x.size == y.size &&
                             x.offset == y.offset;
                    });
}

[[noreturn]] void bad_size(const ArgumentInfo& argument, size_t size, size_t right) {
  throw Error(CL_INVALID_ARG_SIZE, "argument '" + argument.name + "' of type " +
                                       argument.type_name + " takes " + std::to_string(right) +
                                       " bytes, not " + std::to_string(size));
}

[[noreturn]] void bad_argument(cl_int code, const ArgumentInfo& argument, const char* text) {
  throw Error(code, "argument '" + argument.name + "' of type " + argument.type_name + ": " + text);
}

// The handle that an argument's value points to; null if there is none.
template <class Handle>
Handle handle_argument(const ArgumentInfo& argument, size_t size, const void* value) {
  if (size != sizeof(Handle)) bad_size(argument, size, sizeof(Handle));
  Handle handle = nullptr;
  if (value) std::memcpy(&handle, value, sizeof handle);
  return handle;
}

// What an image argument accepts, by its type in OpenCL C. Any other name is one that the program
// gave to such a type; what that accepts is unknown.
struct ImageArgument {
  std::string_view type_name;
  cl_mem_object_type type;
  bool depth = false;
};
constexpr ImageArgument kImageArguments[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D},
    {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
    {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
    {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D},
};

void check_image_type(const ArgumentInfo& argument, const Image& image) {
  const auto* wanted =
      std::find_if(std::begin(kImageArguments), std::end(kImageArguments),
                   [&](const ImageArgument& a) { return a.type_name == argument.type_name; });
  if (wanted == std::end(kImageArguments)) return;
  if (image.type() != wanted->type)
    bad_argument(CL_INVALID_MEM_OBJECT, argument, "the image is of another type");
  if (wanted->depth && image.format().order != CL_DEPTH)
    bad_argument(CL_INVALID_MEM_OBJECT, argument, "the image has no depth channel");
}

void check_image_access(const ArgumentInfo& argument, const Memory& memory) {
  const bool reads = argument.access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  const bool writes = argument.access != CL_KERNEL_ARG_ACCESS_READ_ONLY;
  if (reads && (memory.flags() & CL_MEM_WRITE_ONLY))
    bad_argument(CL_INVALID_ARG_VALUE, argument, "the image is write-only");
  if (writes && (memory.flags() & CL_MEM_READ_ONLY))
    bad_argument(CL_INVALID_ARG_VALUE, argument, "the image is read-only");
  const ImageFormat& format = memory.image()->format();
  if (writes && !format.writable)
    bad_argument(CL_INVALID_MEM_OBJECT, argument, "kernels only read images of this format");
  if (writes && reads && !format.read_write)
    bad_argument(CL_INVALID_MEM_OBJECT, argument,
                 "no kernel both reads and writes images of this format");
}

}  // namespace

KernelCode::KernelCode(Ref<Device> on, std::shared_ptr<const ProgramBinary> from,
                       std::shared_ptr<const LoadedCode> loaded, const KernelInfo& kernel)
    : device(std::move(on)),
      binary(std::move(from)),
      code(std::move(loaded)),
      info(&kernel),
      function(code->function(kernel.symbol)),
      max_work_group_size(conclave::max_work_group_size(kernel)),
      has_streams(conclave::has_streams(kernel)),
      has_sums(std::ranges::any_of(kernel.arguments, &ArgumentInfo::sum_bytes)),
      launch_kinds(specializer::watch(*binary, kernel)) {}

Kernel::Kernel(Program& program, const std::string& full_name) : program_(&program) {
  const std::string name = program.xclbin() ? kernel_of(full_name) : full_name;
  bool built = false;
  for (const Ref<Device>& device : program.devices()) {
    Build build = program.build_for(*device);
    if (!build.code) continue;
    built = true;
    for (auto& code : build.kernels)
      if (code->info->name == name) codes_.push_back(std::move(code));
  }
  require(built, CL_INVALID_PROGRAM_EXECUTABLE, "the program has no executable for any device");
  if (codes_.empty())
    throw Error(CL_INVALID_KERNEL_NAME, "the program has no kernel '" + name + "'");
  for (const auto& code : codes_)
    require(same_signature(*code->info, info()), CL_INVALID_KERNEL_DEFINITION,
            "the kernel's arguments differ between devices");
  if (program.xclbin()) bind(full_name);
  arguments_.resize(info().arguments.size());
  for (size_t i = 0; i < arguments_.size(); ++i)
    arguments_[i].set = info().arguments[i].kind == ArgumentKind::kStream;
  block_.resize(info().arguments_bytes);
  program_->attach_kernel();
}

void Kernel::bind(const std::string& name) {
  const auto& xclbin = program_->xclbin();
  try {
    binding_ = std::make_shared<const XclbinBinding>(xclbin, xclbin->units_named(name));
    bound_units_ = {binding_, &binding_->device_units()};
    if (has_streams(info()) && binding_->units().size() == 1)
      connect(*xclbin, xclbin->layout().compute_units[binding_->units().front()].name);
  } catch (const Error& error) {
    program_->note("kernel " + name + ": " + error.text());
    throw;
  }
}

void Kernel::connect(const Xclbin& xclbin, const std::string& owner) {
  if (!has_streams(info())) return;
  prepare_streams(xclbin);
  ports_ = std::make_shared<const std::vector<StreamPort>>(stream_ports(xclbin, owner, info()));
}

const std::vector<StreamPort>& Kernel::ports() const {
  static const std::vector<StreamPort> none;
  if (ports_) return *ports_;
  if (has_streams(info()))
    throw Error(CL_INVALID_KERNEL,
                "kernel '" + info().name +
                    "' has streams, which belong to a compute unit: name one, " + "as in \"" +
                    info().name + ":{" + info().name + "_1}\"",
                EINVAL);
  return none;
}

ComputeUnitSet Kernel::units_on(const Device& device) const {
  return bound_units_ ? *bound_units_ & device.compute_units() : device.compute_units();
}

Kernel::Kernel(const Kernel& other)
    : Object<Kernel>(),
      program_(other.program_),
      codes_(other.codes_),
      binding_(other.binding_),
      bound_units_(other.bound_units_),
      ports_(other.ports_),
      arguments_(other.arguments_),
      block_(other.block_),
      timeout_ms_(other.timeout_ms()) {
  program_->attach_kernel();
}

Kernel::~Kernel() {
  if (program_) program_->detach_kernel();
}

const std::shared_ptr<const KernelCode>* Kernel::code_for(const Device& device) const {
  for (const Device* d = &device; d; d = d->parent())
    for (const auto& code : codes_)
      if (code->device.get() == d) return &code;
  return nullptr;
}

void Kernel::require_argument(cl_uint index) const {
  if (index >= arguments_.size())
    throw Error(CL_INVALID_ARG_INDEX,
                "kernel '" + info().name + "' has " + std::to_string(arguments_.size()) +
                    " arguments; there is no number " + std::to_string(index));
}

void Kernel::set_argument(cl_uint index, size_t size, const void* value) {
  require_argument(index);
  const ArgumentInfo& argument = info().arguments[index];
  Argument& state = arguments_[index];
  std::byte* slot = block_.data() + argument.offset;
  switch (argument.kind) {
    case ArgumentKind::kValue:
      if (size != argument.size) bad_size(argument, size, argument.size);
      require(value != nullptr, CL_INVALID_ARG_VALUE, "no value for an argument by value");
      std::memcpy(slot, value, size);
      break;
    case ArgumentKind::kLocal:
      require(value == nullptr, CL_INVALID_ARG_VALUE, "a local-memory argument has only a size");
      require(size != 0, CL_INVALID_ARG_SIZE, "a local-memory argument of 0 bytes");
      state.local_bytes = size;
      break;
    case ArgumentKind::kPointer: {
      auto handle = handle_argument<cl_mem>(argument, size, value);
      Memory* memory = Memory::from(handle);
      if (handle && (!memory || !memory->is_buffer() || &memory->context() != &program_->context()))
        bad_argument(CL_INVALID_MEM_OBJECT, argument, "no buffer of the program's context");
      std::byte* address = memory ? memory->data() : nullptr;
      std::memcpy(slot, &address, sizeof address);
      state.memory = handle;
      state.address = nullptr;
      break;
    }
    case ArgumentKind::kImage: {
      auto handle = handle_argument<cl_mem>(argument, size, value);
      Memory* memory = Memory::from(handle);
      if (!memory || !memory->image() || &memory->context() != &program_->context())
        bad_argument(CL_INVALID_MEM_OBJECT, argument, "no image of the program's context");
      check_image_type(argument, *memory->image());
      check_image_access(argument, *memory);
      const abi::Image* image = &memory->image()->argument();
      std::memcpy(slot, &image, sizeof image);
      state.memory = handle;
      break;
    }
    case ArgumentKind::kPipe: {
      auto handle = handle_argument<cl_mem>(argument, size, value);
      Memory* memory = Memory::from(handle);
      if (!memory || !memory->pipe() || &memory->context() != &program_->context())
        bad_argument(CL_INVALID_MEM_OBJECT, argument, "no pipe of the program's context");
      const std::byte* address = memory->data();
      std::memcpy(slot, &address, sizeof address);
      state.memory = handle;
      break;
    }
    case ArgumentKind::kStream:
      bad_argument(CL_INVALID_ARG_VALUE, argument, "a stream: the xclbin connects it");
    case ArgumentKind::kSampler: {
      auto handle = handle_argument<cl_sampler>(argument, size, value);
      Sampler* sampler = Sampler::from(handle);
      if (!sampler || &sampler->context() != &program_->context())
        bad_argument(CL_INVALID_SAMPLER, argument, "no sampler of the program's context");
      const uint32_t mode = sampler->argument();
      std::memcpy(slot, &mode, sizeof mode);
      break;
    }
  }
  state.set = true;
}

void Kernel::set_pointer(cl_uint index, Memory* memory, size_t offset) {
  std::byte* address = memory ? memory->data() + offset : nullptr;
  std::memcpy(block_.data() + info().arguments[index].offset, &address, sizeof address);
  arguments_[index].memory = memory ? memory->handle() : nullptr;
  arguments_[index].address = nullptr;
  arguments_[index].set = true;
}

void Kernel::set_address(cl_uint index, const void* address, cl_int no_pointer) {
  require_argument(index);
  if (info().arguments[index].kind != ArgumentKind::kPointer)
    bad_argument(no_pointer, info().arguments[index], "no pointer to global or constant memory");
  set_pointer(index, nullptr, 0);
  std::memcpy(block_.data() + info().arguments[index].offset, &address, sizeof address);
  arguments_[index].address = address;
}

CheckedSize Kernel::local_bytes(const KernelCode& code) const {
  CheckedSize bytes = code.info->local_bytes;
  for (const Argument& argument : arguments_)
    if (argument.local_bytes) bytes = bytes.aligned(abi::kBlockAlignment) + argument.local_bytes;
  return bytes;
}

}  // namespace conclave
