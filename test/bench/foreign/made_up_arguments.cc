// SPDX-License-Identifier: Apache-2.0
#include "made_up_arguments.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

constexpr size_t kGuardBytes = size_t{1} << 30;
constexpr size_t kBufferBytes = size_t{16} << 20;
constexpr size_t kLocalBytes = size_t{16} << 10;
// Integers are indices often enough: they stay this small.
constexpr uint32_t kNumbers = 61;
// The largest structure that is passed by value.
constexpr size_t kMostValueBytes = 1024;

bool names(const std::string& type, const char* word) {
  return type.find(word) != std::string::npos;
}

template <class T>
void fill_with(std::byte* data, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(T); ++i) {
    const auto number = static_cast<uint32_t>(i * 7 % kNumbers);
    const T value = std::is_floating_point_v<T> ? static_cast<T>(1 + number) / T{kNumbers}
                                                : static_cast<T>(number);
    std::memcpy(data + i * sizeof(T), &value, sizeof value);
  }
}

void fill(const std::string& type, std::byte* data, size_t bytes) {
  if (names(type, "float"))
    fill_with<float>(data, bytes);
  else if (names(type, "double"))
    fill_with<double>(data, bytes);
  else if (names(type, "char"))
    fill_with<uint8_t>(data, bytes);
  else if (names(type, "short"))
    fill_with<uint16_t>(data, bytes);
  else if (names(type, "long"))
    fill_with<uint64_t>(data, bytes);
  else if (names(type, "half"))
    std::fill_n(reinterpret_cast<uint16_t*>(data), bytes / 2, uint16_t{0x3800});
  else if (names(type, "int"))
    fill_with<uint32_t>(data, bytes);
  else  // a structure: numbers that are small, as integers and as floats
    std::memset(data, 0, bytes);
}

// The bytes of a value: vectors are as wide as several numbers, and structures have to be tried.
template <class T>
bool set_value(cl::Kernel& kernel, cl_uint index, T value) {
  std::vector<T> values(16, value);
  for (size_t count : {1, 2, 4, 8, 16})
    if (clSetKernelArg(kernel(), index, count * sizeof(T), values.data()) == CL_SUCCESS)
      return true;
  return false;
}

bool set_structure(cl::Kernel& kernel, cl_uint index) {
  const std::vector<std::byte> zeros(kMostValueBytes);
  for (size_t bytes = 1; bytes <= kMostValueBytes; ++bytes)
    if (clSetKernelArg(kernel(), index, bytes, zeros.data()) == CL_SUCCESS) return true;
  return false;
}

bool set_by_type(cl::Kernel& kernel, cl_uint index, const std::string& type, cl_int number) {
  if (names(type, "float")) return set_value(kernel, index, 0.5f);
  if (names(type, "double")) return set_value(kernel, index, 0.5);
  if (names(type, "long") || names(type, "size_t"))
    return set_value(kernel, index, static_cast<cl_long>(number));
  if (names(type, "short")) return set_value(kernel, index, static_cast<cl_short>(number));
  if (names(type, "char")) return set_value(kernel, index, static_cast<cl_char>(number));
  if (names(type, "int")) return set_value(kernel, index, number);
  return set_structure(kernel, index);
}

cl_int number_for(const std::string& name, cl_int number) {
  if (names(name, "inc") || names(name, "Inc")) return 1;
  return names(name, "off") || names(name, "Off") ? 0 : number;
}

}  // namespace

GuardedMemory::GuardedMemory(size_t bytes) : size_(bytes) {
  void* all = mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::runtime_error("no memory for a buffer");
  data_ = static_cast<std::byte*>(all) + kGuardBytes;
  if (mprotect(data_, bytes, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error("no memory for a buffer");
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

GuardedMemory::~GuardedMemory() {
  if (data_) munmap(data_ - kGuardBytes, size_ + 2 * kGuardBytes);
}

MadeUpArguments::MadeUpArguments(const cl::Context& context, const cl::Kernel& kernel) {
  for (cl_uint i = 0; i < kernel.getInfo<CL_KERNEL_NUM_ARGS>(); ++i) {
    const auto space = kernel.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER>(i);
    Argument argument{Argument::Kind::kValue, kernel.getArgInfo<CL_KERNEL_ARG_TYPE_NAME>(i),
                      kernel.getArgInfo<CL_KERNEL_ARG_NAME>(i)};
    if (names(argument.type, "image") || names(argument.type, "sampler") ||
        names(argument.type, "pipe"))
      throw std::runtime_error("it has an argument of type " + argument.type);
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      argument.kind = Argument::Kind::kLocal;
    } else if (space != CL_KERNEL_ARG_ADDRESS_PRIVATE) {
      argument.kind = Argument::Kind::kBuffer;
      argument.index = memory_.size();
      const GuardedMemory& memory = memory_.emplace_back(kBufferBytes);
      buffers_.emplace_back(context, CL_MEM_USE_HOST_PTR, memory.size(), memory.data());
    }
    arguments_.push_back(std::move(argument));
  }
  refill();
}

void MadeUpArguments::set(cl::Kernel& kernel, cl_int number) const {
  for (cl_uint i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.kind == Argument::Kind::kBuffer)
      kernel.setArg(i, buffers_[argument.index]);
    else if (argument.kind == Argument::Kind::kLocal)
      kernel.setArg(i, cl::Local(kLocalBytes));
    else if (!set_by_type(kernel, i, argument.type, number_for(argument.name, number)))
      throw std::runtime_error("no value fits its argument of type " + argument.type);
  }
}

void MadeUpArguments::refill() {
  for (const Argument& argument : arguments_)
    if (argument.kind == Argument::Kind::kBuffer) {
      const GuardedMemory& memory = memory_[argument.index];
      fill(argument.type, memory.data(), memory.size());
    }
}

}  // namespace bench
