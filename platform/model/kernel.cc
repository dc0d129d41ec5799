// SPDX-License-Identifier: Apache-2.0
#include "platform/model/kernel.h"

#include <algorithm>
#include <cstring>

#include "platform/base/align.h"
#include "platform/base/error.h"
#include "platform/exec/specializer.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/program.h"

namespace conclave {
namespace {

bool same_signature(const KernelInfo& a, const KernelInfo& b) {
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const ArgumentInfo& x, const ArgumentInfo& y) {
                      return x.kind == y.kind && x.type_name == y.type_name && x.size == y.size &&
                             x.offset == y.offset;
                    });
}

[[noreturn]] void bad_size(const ArgumentInfo& argument, size_t size) {
  throw Error(CL_INVALID_ARG_SIZE,
              "argument '" + argument.name + "' of type " + argument.type_name + " takes " +
                  std::to_string(argument.size) + " bytes, not " + std::to_string(size));
}

}  // namespace

KernelCode::KernelCode(Ref<Device> on, std::shared_ptr<const ProgramImage> from,
                       std::shared_ptr<const LoadedCode> loaded, const KernelInfo& kernel)
    : device(std::move(on)),
      image(std::move(from)),
      code(std::move(loaded)),
      info(&kernel),
      function(code->function(kernel.symbol)),
      local_sizes(specializer::watch(*image, kernel)) {}

Kernel::Kernel(Program& program, const std::string& name) : program_(&program) {
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
  arguments_.resize(info().arguments.size());
  block_.resize(info().arguments_bytes);
  program_->attach_kernel();
}

Kernel::Kernel(const Kernel& other)
    : Object<Kernel>(),
      program_(other.program_),
      codes_(other.codes_),
      arguments_(other.arguments_),
      block_(other.block_) {
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

void Kernel::set_argument(cl_uint index, size_t size, const void* value) {
  if (index >= arguments_.size())
    throw Error(CL_INVALID_ARG_INDEX,
                "kernel '" + info().name + "' has " + std::to_string(arguments_.size()) +
                    " arguments; there is no number " + std::to_string(index));
  const ArgumentInfo& argument = info().arguments[index];
  Argument& state = arguments_[index];
  std::byte* slot = block_.data() + argument.offset;
  switch (argument.kind) {
    case ArgumentInfo::Kind::kValue:
      if (size != argument.size) bad_size(argument, size);
      require(value != nullptr, CL_INVALID_ARG_VALUE, "no value for an argument by value");
      std::memcpy(slot, value, size);
      break;
    case ArgumentInfo::Kind::kLocal:
      require(value == nullptr, CL_INVALID_ARG_VALUE, "a local-memory argument has only a size");
      require(size != 0, CL_INVALID_ARG_SIZE, "a local-memory argument of 0 bytes");
      state.local_bytes = size;
      break;
    case ArgumentInfo::Kind::kPointer: {
      if (size != sizeof(cl_mem)) bad_size(argument, size);
      cl_mem handle = nullptr;
      if (value) std::memcpy(&handle, value, sizeof handle);
      Memory* memory = Memory::from(handle);
      if (handle && (!memory || &memory->context() != &program_->context()))
        throw Error(CL_INVALID_MEM_OBJECT,
                    "argument '" + argument.name + "': no memory object of the program's context");
      std::byte* address = memory ? memory->data() : nullptr;
      std::memcpy(slot, &address, sizeof address);
      state.memory = handle;
      break;
    }
    case ArgumentInfo::Kind::kImage:
      throw Error(CL_INVALID_MEM_OBJECT, "the device has no images");
    case ArgumentInfo::Kind::kSampler:
      throw Error(CL_INVALID_SAMPLER, "the device has no samplers");
  }
  state.set = true;
}

size_t Kernel::local_bytes(const KernelCode& code) const {
  size_t bytes = code.info->local_bytes;
  for (const Argument& argument : arguments_)
    if (argument.local_bytes) bytes = align_up(bytes, abi::kBlockAlignment) + argument.local_bytes;
  return bytes;
}

}  // namespace conclave
